import { instant, number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Note, type NoteProps } from '../parts/note.tsx';
import { isolated } from '../parts/quoted.ts';
import type { Inspected, Inspection, Overview, VersionDiff } from './answers.ts';
import { ComparedAnswers } from './compared-answers.tsx';
import { ErrorText } from './error-text.tsx';
import { inspectionWords as words } from './inspection-words.ts';
import { Progress } from './progress.tsx';
import { differs, type Verdict, verdictOf } from './verdict.ts';
import { words as pageWords } from './words.ts';

const KINDS: Readonly<Record<Verdict, NoteProps['kind']>> = {
  ...{ same: 'good', slower: 'warn', unsure: 'warn', rows: 'warn', columns: 'warn', answers: 'warn' },
};

const sum = (counts: readonly number[]): string => number(counts.reduce((all, each) => all + Number(each), 0));
const idOf = ({ projection, to }: Inspection): string => `comparison-${projection}-${to}`;

interface StateProps {
  readonly inspection: Inspection;
  readonly results: Overview['results'];
}

/** The state of a comparison beside the version's buttons. */
export function ComparisonState({ inspection, results }: StateProps) {
  const found = results.get(inspection.inspection_id) as Inspected<VersionDiff> | undefined;
  if (inspection.state !== 'done')
    return <OpenInspection inspection={inspection} runs={words.running} failed={words.failed} />;
  if (found === undefined) return null;
  const verdict = verdictOf(found);
  return (
    <p class={verdict === 'same' ? 'good' : undefined}>
      {words.verdicts[verdict]} <span class="quiet-text">{words.asOf(instant(inspection.finished_at!))}</span>{' '}
      <a href={`#${idOf(inspection)}`}>{verdict === 'same' ? words.seeAll : words.see}</a>
    </p>
  );
}

interface OpenProps {
  readonly inspection: Inspection;
  readonly runs: string;
  readonly failed: string;
}

/** An inspection that has no result: it waits, runs or failed. */
export function OpenInspection({ inspection: { state, error, progress }, runs, failed }: OpenProps) {
  if (state === 'failed')
    return (
      <div>
        {failed} <ErrorText text={error ?? ''} />
      </div>
    );
  return (
    <div role="status">
      <p>{state === 'waiting' ? words.waiting : runs}</p>
      <Progress progress={progress} />
    </div>
  );
}

/** The comparisons that have a result, one card each. */
export function Comparisons({ overview: { comparisons, results } }: { readonly overview: Overview }) {
  return (
    <>
      {comparisons.map((inspection) => {
        const found = results.get(inspection.inspection_id) as Inspected<VersionDiff> | undefined;
        return found === undefined ? null : <Comparison key={inspection.inspection_id} found={found} />;
      })}
    </>
  );
}

function Comparison({ found }: { readonly found: Inspected<VersionDiff> }) {
  const { result, operator, finished_at } = found;
  const { name, from, to, answers, tables } = result;
  const verdict = verdictOf(found);
  const compared = sum(answers.map((each) => each.compared));
  return (
    <Card
      title={words.title(name, from, to)}
      id={idOf(found)}
      lead={words.askedBy(isolated(operator), instant(finished_at!))}
      stack
    >
      <Note kind={KINDS[verdict]} what={words.verdicts[verdict]}>
        {verdict === 'answers' ? (
          <p>{words.changing(sum(answers.map((each) => each.differing)), compared)}</p>
        ) : (
          <p>
            {words.compared(sum(tables.map(({ rows_to, only_from }) => Number(rows_to) + Number(only_from))), compared)}
            {(verdict === 'rows' || verdict === 'columns') && ` ${words.rowsMean}`}
          </p>
        )}
      </Note>
      <ComparedAnswers answers={answers} />
      <Rows tables={tables} />
      <Lines title={words.layout} lines={result.layout} />
      <Lines title={words.leftOut} lines={leftOut(found)} />
      <Lines title={words.cut} lines={found.cut.length === 0 ? [] : [...found.cut, words.wholeOnCommandLine(name)]} />
    </Card>
  );
}

function leftOut({ answers, result: { uncompared, answers_left_out } }: Inspected<VersionDiff>): string[] {
  return [
    ...(answers === true ? [] : [words.noAnswers]),
    ...uncompared.map(({ table, reason }) => words.uncompared(table, reason)),
    ...answers_left_out,
  ];
}

/** A list below a heading; nothing if it is empty. */
export function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}

type TableDiff = VersionDiff['tables'][number];
type Sample = TableDiff['samples'][number];

const ROW_COLUMNS: readonly DataColumn<TableDiff>[] = [
  { key: 'table', label: words.table, head: true },
  { key: 'rows_from', label: words.before, type: 'number', wide: true },
  { key: 'rows_to', label: words.after, type: 'number', wide: true },
  { key: 'only_from', label: words.onlyBefore, type: 'number' },
  { key: 'only_to', label: words.onlyAfter, type: 'number' },
  { key: 'changed', label: words.changed, type: 'number' },
  {
    key: 'columns',
    label: words.columns,
    show: (_, { columns }) => columns.map(({ column, rows }) => `${column} (${number(rows)})`).join(', ') || '–',
  },
];

/** The tables whose rows differ, with samples. */
function Rows({ tables }: { readonly tables: readonly TableDiff[] }) {
  const differing = tables.filter(differs);
  if (differing.length === 0) return null;
  return (
    <section>
      <h3>{words.rowsHead}</h3>
      <DataTable caption={words.rowsHead} columns={ROW_COLUMNS} rows={differing} />
      {differing.map(({ table, samples }) => (
        <details key={table}>
          <summary>{words.samples(table)}</summary>
          <ul class="jobs">
            {samples.map((sample, index) => (
              <li key={index}>
                <SampleRow sample={sample} />
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}

function SampleRow({ sample: { kind, key, before, after, position } }: { readonly sample: Sample }) {
  const shown = (value: string | null | undefined): string => value ?? words.nothing;
  return (
    <>
      <div>
        <code>
          {Object.entries(key)
            .map(([column, value]) => `${column} ${shown(value)}`)
            .join(', ')}
        </code>{' '}
        {words.sampleKinds[kind]}
        {position !== null && <span class="quiet-text"> {pageWords.atPosition(position)}</span>}
      </div>
      {kind === 'changed' &&
        Object.keys({ ...before, ...after }).map((column) => (
          <div key={column} class="quiet-text">
            {column}: <bdi>{shown(before?.[column])}</bdi> → <bdi>{shown(after?.[column])}</bdi>
          </div>
        ))}
    </>
  );
}
