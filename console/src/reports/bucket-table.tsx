import { timeOfDay } from '../format.ts';
import type { DataColumn } from '../parts/data-table.tsx';
import { Pill } from '../parts/pill.tsx';
import { SortedTable } from '../parts/sorted-table.tsx';
import type { Column, Row } from './answer.ts';
import { bucketName } from './bucket-name.ts';
import { lineCell } from './cell.ts';
import { Change } from './change.tsx';
import { changeOf } from './change-of.ts';
import { countedName, fullName, isSame, lineName, runningBucket, valueIn } from './lines.ts';
import { figureOf, NumberButton, type ViewProps } from './numbers.tsx';
import type { ReportState } from './state.ts';
import type { LoadedFlags } from './use-flags.ts';
import { words } from './words.ts';

interface BucketTableProps extends Pick<ViewProps, 'state' | 'answer' | 'previous' | 'onCell'> {
  readonly flags: LoadedFlags;
}

/** The values of a chart, a row for each time; compared, each with the value before and the change. */
export function BucketTable({ state, answer, previous, onCell, flags }: BucketTableProps) {
  const lines = answer.columns.slice(1);
  const former = lines.map((line) => previous?.columns.slice(1).find((column) => isSame(column, line)));
  const rows = answer.rows.map((row, index): Row => {
    const compared = former.flatMap((column, at) => {
      if (column === undefined) return [];
      const before = previous!.rows[index]?.[column.key] ?? null;
      const change = changeOf(valueIn(row, lines[at]!.key, answer), before)?.part ?? null;
      return [[beforeKey(at), before] as const, [changeKey(at), change] as const];
    });
    return { ...row, ...Object.fromEntries(compared) };
  });
  const Launches = flags.value?.LaunchesAt;
  const running = answer.rows[runningBucket(state, answer)]?.['date'];
  return (
    <SortedTable
      name="time"
      order="-date"
      caption={words.table}
      rows={rows}
      columns={[
        {
          key: 'date',
          label: words.times[state.granularity],
          head: true,
          show: (value) => (
            <>
              <span class="nowrap">
                {bucketName(value, state)} {value === running && <Until at={answer.meta.data_as_of} />}
              </span>
              {Launches !== undefined && (
                <Launches flags={flags.value!.flags} index={answer.rows.findIndex(({ date }) => date === value)} />
              )}
            </>
          ),
        },
        ...lines.flatMap((line, at) =>
          lineColumns({ state, answer, line, at, onCell, compared: previous !== undefined }),
        ),
      ]}
      foot={<Totals state={state} lines={lines} former={former} compared={previous !== undefined} />}
    />
  );
}

const beforeKey = (at: number): string => `before_${at}`;
const changeKey = (at: number): string => `change_${at}`;

/** The moment up to which a time that is not over has been counted. */
function Until({ at }: { readonly at: string }) {
  return <Pill icon="clock">{words.until(timeOfDay(at).slice(0, 5))}</Pill>;
}

interface LineColumnsProps extends Pick<ViewProps, 'state' | 'answer' | 'onCell'> {
  readonly line: Column;
  readonly at: number;
  readonly compared: boolean;
}

function lineColumns({ state, answer, line, at, onCell, compared }: LineColumnsProps): DataColumn[] {
  const name = answer.columns.length > 2 ? lineName(state, line) : '';
  const own: DataColumn = {
    key: line.key,
    label: columnName(state, line),
    type: 'number',
    show: (_, row) => (
      <NumberButton
        value={valueIn(row, line.key, answer)}
        shown={figureOf(state, line, valueIn(row, line.key, answer))}
        cell={lineCell(line, row['date'])}
        title={`${fullName(state, line)}, ${bucketName(row['date'], state)}`}
        onCell={onCell}
      />
    ),
  };
  if (!compared) return [own];
  const before = { key: beforeKey(at), type: 'number', wide: true } as const;
  return [
    own,
    {
      ...before,
      label: words.before,
      full: words.beforeOf(name),
      show: (value) => <span class="quiet-text">{figureOf(state, line, value)}</span>,
    },
    {
      key: changeKey(at),
      label: words.change,
      full: words.changeOf(name),
      type: 'number',
      wide: true,
      show: (_, row) => <Change now={valueIn(row, line.key, answer)} before={row[beforeKey(at)]} />,
    },
  ];
}

/** The head of a line's column: what is counted, and of which event if there are several. */
function columnName(state: ReportState, line: Column): string {
  const metric = state.metrics[line.metric ?? -1];
  const name = lineName(state, line);
  return metric === undefined || name.includes(countedName(metric)) ? name : `${name}, ${countedName(metric)}`;
}

interface TotalsProps {
  readonly state: ReportState;
  readonly lines: readonly Column[];
  readonly former: readonly (Column | undefined)[];
  readonly compared: boolean;
}

/** The totals as the service counted them: of people each once. */
function Totals({ state, lines, former, compared }: TotalsProps) {
  if (lines.every(({ total }) => total === undefined)) return undefined;
  const people = state.metrics.every(({ agr }) => agr === 'total_uniq_user_id');
  return (
    <tr>
      <th scope="row">{people ? words.eachOnce : words.inAll}</th>
      {lines.flatMap(({ key, total }, at) => [
        <td key={key} class="n number">
          <span>{figureOf(state, lines[at]!, total)}</span>
        </td>,
        ...(compared
          ? [
              <td key={`${key}-before`} class="n quiet-text wide">
                {figureOf(state, lines[at]!, former[at]?.total)}
              </td>,
              <td key={`${key}-change`} class="n wide">
                <Change now={total} before={former[at]?.total} />
              </td>,
            ]
          : []),
      ])}
    </tr>
  );
}
