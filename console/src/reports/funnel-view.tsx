import { duration, number, perCent } from '../format.ts';
import { Cut } from '../parts/cut.tsx';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { SortedTable } from '../parts/sorted-table.tsx';
import type { Answer, Row } from './answer.ts';
import { breakdownOf, funnelCell } from './cell.ts';
import { cellWords } from './cell-words.ts';
import { grouped, type Step, stepsOf, weakestOf } from './funnel-steps.ts';
import { eventName } from './lines.ts';
import { Bar, NumberButton, type PartProps, valueColumn, valueText } from './numbers.tsx';
import { words } from './words.ts';

/** From so few people on, a per cent says less than the two numbers. */
const FEW = 30;

/** The answer of a funnel in a few figures: the whole rate, the weakest step, and who can still be reached. */
export function FunnelHeadline({ answer }: Pick<PartProps, 'answer'>) {
  const steps = stepsOf(answer);
  const [first, last] = [steps[0]!, steps.at(-1)!];
  const weakest = weakestOf(steps);
  const open = steps.reduce((sum, step) => sum + step.open, 0);
  return (
    <div class="headline">
      <div>
        <p class="quiet-text small-text">
          <Cut text={words.ofAllWho(eventName(last.label), eventName(first.label))} />
        </p>
        <span class="figure">
          {first.people < FEW
            ? words.outOf(number(last.people), number(first.people))
            : perCent(last.people / first.people)}
        </span>
      </div>
      <dl>
        {weakest !== undefined && steps.length > 2 && (
          <div>
            <dt>{words.weakest}</dt>
            <dd>
              <Cut text={weakestText(steps, weakest)} />
            </dd>
          </div>
        )}
        {open > 0 && (
          <div>
            <dt>{words.stillHaveTime}</dt>
            <dd>{words.people(number(open))}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}

function weakestText(steps: readonly Step[], weakest: Step): string {
  const before = steps[weakest.step - 2]!;
  return `${eventName(before.label)} → ${eventName(weakest.label)}, ${perCent(weakest.people / before.people)}`;
}

/** The numbers of a funnel: a row a step, or of a split a row a part and every step a column. */
export function FunnelTable({ answer, onCell }: PartProps) {
  if (breakdownOf(answer).length === 0) return <StepTable answer={answer} onCell={onCell} />;
  return (
    <>
      <PartTable answer={answer} onCell={onCell} />
      <details class="as-table">
        <summary>{words.allSteps}</summary>
        <StepTable answer={answer} onCell={onCell} />
      </details>
    </>
  );
}

/** The steps of a funnel: who reached each, who dropped off before it, and who still has time. */
function StepTable({ answer, onCell }: PartProps) {
  const of = (row: Row, key: string): number => Number(row[key] ?? 0);
  const counted = (key: string, label: string, kind: Parameters<typeof funnelCell>[2]): DataColumn => ({
    key,
    label,
    type: 'number',
    show: (value, row) => (
      <NumberButton
        value={value}
        cell={funnelCell(answer, row, kind)}
        title={titleOf(answer, row, kind)}
        onCell={onCell}
      />
    ),
  });
  const part = (key: string, label: string): DataColumn => {
    return { key, label, type: 'number', show: (_, row) => perCent(of(row, key)) };
  };
  return (
    <DataTable
      bars
      caption={words.types.funnels}
      columns={[
        ...breakdownOf(answer).map(valueColumn),
        {
          key: 'step',
          label: words.step,
          type: 'string',
          head: true,
          show: (_, row) => (
            <>
              <Cut text={stepName(row)} />
              <Bar part={of(row, 'share_of_first')} />
            </>
          ),
        },
        counted('users', words.users, 'reached'),
        part('share_of_first', words.ofFirst),
        part('share_of_previous', words.ofPrevious),
        counted('dropped', words.dropped, 'dropped'),
        counted('in_progress', words.inProgress, 'in_progress'),
        {
          key: 'median_seconds',
          label: words.median,
          type: 'number',
          show: (value) => (value === null ? '–' : duration(Number(value))),
        },
      ]}
      rows={answer.rows}
    />
  );
}

const stepName = (row: Row): string => `${row['step']}. ${eventName(String(row['label']))}`;

/** Which people a number of a step is. */
export function titleOf(answer: Answer, row: Row, kind: Parameters<typeof funnelCell>[2]): string {
  const before = answer.rows.find(({ step }) => step === Number(row['step']) - 1);
  const between = cellWords.between(eventName(String(before?.['label'])), eventName(String(row['label'])));
  return { reached: cellWords.step(stepName(row)), dropped: between, in_progress: cellWords.onTheWay(between) }[kind];
}

/** The parts of a split, a row each: people at every step, and the whole rate. */
function PartTable({ answer, onCell }: PartProps) {
  const split = breakdownOf(answer);
  const steps = stepsOf(answer);
  const parts = grouped(answer.rows, (row) => JSON.stringify([row['other'], split.map(({ key }) => row[key])]));
  const rate = (rows: readonly Row[]): number => Number(rows.at(-1)!['share_of_first'] ?? 0);
  const most = Math.max(...parts.map(rate), Number.MIN_VALUE);
  const rows = parts.map((part): Row => {
    const people = part.map((row) => [`step_${row['step']}`, row['users'] ?? null]);
    const rest = Object.fromEntries(people);
    return { ...part[0]!, ...rest, rate: rate(part), part: JSON.stringify(part) };
  });
  const rowsOf = (row: Row): readonly Row[] => JSON.parse(String(row['part'])) as readonly Row[];
  return (
    <SortedTable
      name="parts"
      order="-step_1"
      bars
      caption={words.bySplit}
      rows={rows}
      textOf={(row) => split.map(({ key, type }) => valueText(key, row[key], row, type)).join(' ')}
      columns={[
        ...split.map((column) => ({ ...valueColumn(column), head: true })),
        ...steps.map(
          ({ step, label }): DataColumn => ({
            key: `step_${step}`,
            label: eventName(label),
            type: 'number',
            show: (value, row) => {
              const own = rowsOf(row)[step - 1]!;
              const title = `${titleOf(answer, own, 'reached')}, ${split.map(({ key, type }) => valueText(key, row[key], row, type)).join(', ')}`;
              return (
                <>
                  <NumberButton value={value} cell={funnelCell(answer, own, 'reached')} title={title} onCell={onCell} />
                  {step > 1 && (
                    <span class="quiet-text small-text"> {perCent(Number(own['share_of_previous'] ?? 0))}</span>
                  )}
                </>
              );
            },
          }),
        ),
        { key: 'rate', label: words.ofFirst, type: 'number', show: (value) => <b>{perCent(Number(value))}</b> },
        { key: 'bar', label: words.bar, wide: true, show: (_, row) => <Bar part={Number(row['rate']) / most} /> },
      ]}
      foot={
        <tr>
          <th scope="row" colSpan={split.length}>
            {words.all}
          </th>
          {steps.map(({ step, people }) => (
            <td key={step} class="n number">
              <span>{number(people)}</span>
            </td>
          ))}
          <td class="n number">{steps[0]!.people > 0 && perCent(steps.at(-1)!.people / steps[0]!.people)}</td>
          <td class="wide" />
        </tr>
      }
    />
  );
}
