import { dayName, number, perCent, perCentShort } from '../format.ts';
import { Cut } from '../parts/cut.tsx';
import type { Answer, Row } from './answer.ts';
import type { OpenCell } from './cell.ts';
import { retentionCell } from './cell.ts';
import { cellWords } from './cell-words.ts';
import { NumberButton } from './numbers.tsx';
import type { Cohorts } from './retention-view.tsx';
import { words } from './words.ts';

/** The share that has the darkest shade. */
const DARKEST = 0.4;
const SHADES = 8;

const shadeOf = (part: number): number => Math.min(SHADES + 1, Math.round((part / DARKEST) * SHADES));

interface HeatMapProps {
  readonly answer: Answer;
  readonly cohorts: Cohorts;
  readonly onCell: OpenCell;
}

/** The cohorts, a row each, the average above them. Cells whose interval still runs are hatched. */
export function HeatMap({ answer, cohorts, onCell }: HeatMapProps) {
  const { intervals, nameOfInterval, average } = cohorts;
  const size = answer.rows.reduce((sum, row) => sum + Number(row['size']), 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label={words.types.retention}>
      <table class="heat-map">
        <caption class="hidden">{words.types.retention}</caption>
        <thead>
          <tr>
            <th scope="col">{words.cohort}</th>
            <th scope="col">{words.size}</th>
            {intervals.map((n) => (
              <th key={n} scope="col">
                {nameOfInterval(n)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody class="average">
          <tr>
            <th scope="row">{words.average}</th>
            <td class="size">{number(size)}</td>
            {intervals.map((n) => {
              const part = average(n);
              return <td key={n}>{part === null ? <span class="quiet-text">–</span> : perCent(part)}</td>;
            })}
          </tr>
        </tbody>
        <tbody>
          {answer.rows.map((row) => (
            <Cohort key={cohorts.nameOf(row)} row={row} answer={answer} cohorts={cohorts} onCell={onCell} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cohort({ row, answer, cohorts, onCell }: HeatMapProps & { readonly row: Row }) {
  const { intervals, nameOf } = cohorts;
  return (
    <tr>
      <th scope="row">
        <Cut text={nameOf(row)} />
      </th>
      <td class="size">
        <NumberButton
          value={row['size']}
          cell={retentionCell(answer, row)}
          title={cellWords.members(dayName(String(row['cohort'])))}
          onCell={onCell}
        />
      </td>
      {intervals.map((n) => (
        <td key={n}>
          <HeatCell n={n} row={row} answer={answer} cohorts={cohorts} onCell={onCell} />
        </td>
      ))}
    </tr>
  );
}

/** A cell; one whose interval has not begun is empty. */
function HeatCell({ n, row, answer, cohorts, onCell }: HeatMapProps & { readonly n: number; readonly row: Row }) {
  const [part, people] = [row[`share_${n}`], row[`users_${n}`]];
  if (part === null || part === undefined) return null;
  const isOver = cohorts.isOver(row, n);
  const shade = n === 0 && cohorts.startsWhole ? 'start' : `heat heat-${shadeOf(Number(part))}`;
  return (
    <span class={isOver ? shade : 'heat open'} title={words.outOf(number(String(people)), number(String(row['size'])))}>
      <NumberButton
        value={people}
        shown={perCent(Number(part))}
        cell={retentionCell(answer, row, n)}
        title={cohorts.titleOf(row, n)}
        onCell={onCell}
      />
      {!isOver && <span class="hidden"> {words.unfinished}</span>}
    </span>
  );
}

/** The meaning of the shades. */
export function Ramp() {
  return (
    <span class="legend">
      <span>
        {perCent(0)}{' '}
        <span class="ramp">
          {Array.from({ length: SHADES + 1 }, (_, shade) => (
            <i key={shade} class={`heat-${shade}`} />
          ))}
        </span>{' '}
        {words.orMore(perCentShort(DARKEST))}
      </span>
      <span>
        <span class="key hatch" />
        {words.leftOutOfAverage}
      </span>
    </span>
  );
}
