import { duration, share } from '../format.ts';
import { texts } from '../texts.ts';
import type { Row } from './answer.ts';
import { breakdownOf, funnelCell } from './cell.ts';
import { Bar, NumberButton, type PartProps, valueText } from './numbers.tsx';

const words = texts.reports;
const COUNTED = [words.users, words.ofFirst, words.ofPrevious, words.dropped, words.inProgress, words.median];

/** The steps of a funnel: who reached each, who dropped off before it, and who still has time. */
export function FunnelView({ answer, onCell }: PartProps) {
  const extra = breakdownOf(answer);
  const count = (row: Row, key: 'users' | 'dropped' | 'in_progress') => {
    const kind = key === 'users' ? 'reached' : key;
    const before = answer.rows.find(({ step }) => step === of(row, 'step') - 1);
    const between = texts.cells.between(String(before?.['label']), String(row['label']));
    const title = {
      reached: texts.cells.step(`${row['step']}. ${row['label']}`),
      dropped: between,
      in_progress: texts.cells.onTheWay(between),
    }[kind];
    return <NumberButton value={row[key]} cell={funnelCell(answer, row, kind)} title={title} onCell={onCell} />;
  };
  const of = (row: Row, key: string): number => Number(row[key] ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={words.types.funnels}>
      <table class="bars funnel">
        <thead>
          <tr>
            {extra.map(({ key, label }) => (
              <th key={key} scope="col">
                {label}
              </th>
            ))}
            <th scope="col">{words.step}</th>
            {COUNTED.map((label) => (
              <th key={label} scope="col" class="number">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {answer.rows.map((row, index) => (
            <tr key={index}>
              {extra.map(({ key, type }) => (
                <td key={key}>{valueText(row[key], row, type)}</td>
              ))}
              <th scope="row">
                <Bar part={of(row, 'share_of_first')} /> {of(row, 'step')}. {String(row['label'])}
              </th>
              <td class="number">{count(row, 'users')}</td>
              <td class="number">{share(of(row, 'share_of_first'))}</td>
              <td class="number">{share(of(row, 'share_of_previous'))}</td>
              <td class="number">{count(row, 'dropped')}</td>
              <td class="number">{count(row, 'in_progress')}</td>
              <td class="number">{row['median_seconds'] === null ? '–' : duration(of(row, 'median_seconds'))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
