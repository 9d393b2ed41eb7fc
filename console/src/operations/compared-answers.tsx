import { type ComponentChildren, Fragment } from 'preact';
import { number } from '../format.ts';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import type { VersionDiff } from './answers.ts';
import { inspectionWords as words } from './inspection-words.ts';

type Answers = VersionDiff['answers'][number];
type Changed = Answers['samples'][number];
type Slower = Answers['slower'][number];

const KIND_COLUMNS: readonly DataColumn<Answers>[] = [
  { key: 'kind', label: words.answersOf, head: true, show: (_, { kind }) => words.kinds[kind] },
  { key: 'compared', label: words.comparedCount, type: 'number' },
  { key: 'differing', label: words.differing, type: 'number' },
  { key: 'slower', label: words.slower, type: 'number', show: (_, { slower }) => number(slower.length) },
];

const CHANGED_COLUMNS: readonly DataColumn<Changed>[] = [
  { key: 'question', label: words.question, head: true, show: (_, { question }) => nameOf(question) },
  { key: 'before', label: words.before, show: (_, { before }) => <Part value={before} /> },
  { key: 'after', label: words.after, show: (_, { after }) => <Part value={after} /> },
];

const SLOWER_COLUMNS: readonly DataColumn<Slower>[] = [
  { key: 'question', label: words.question, head: true, show: (_, { question }) => nameOf(question) },
  { key: 'ms_before', label: words.before, type: 'number', show: (_, each) => words.ms(number(each.ms_before)) },
  { key: 'ms_after', label: words.after, type: 'number', show: (_, each) => words.ms(number(each.ms_after)) },
];

/** How many answers of each kind were compared; those that change, and those that become slower. */
export function ComparedAnswers({ answers }: { readonly answers: readonly Answers[] }) {
  if (answers.length === 0) return null;
  return (
    <section>
      <h3>{words.answersHead}</h3>
      <DataTable caption={words.answersHead} columns={KIND_COLUMNS} rows={answers} />
      {answers.map(({ kind, differing, samples, slower }) => (
        <div key={kind}>
          {samples.length > 0 && (
            <Examples caption={words.changedOf(words.kinds[kind])}>
              <DataTable caption={words.changedOf(words.kinds[kind])} columns={CHANGED_COLUMNS} rows={samples} />
              {differing > samples.length && (
                <p class="quiet-text">{words.firstOf(number(samples.length), number(differing))}</p>
              )}
            </Examples>
          )}
          {slower.length > 0 && (
            <Examples caption={words.slowerOf(words.kinds[kind])}>
              <DataTable caption={words.slowerOf(words.kinds[kind])} columns={SLOWER_COLUMNS} rows={slower} />
            </Examples>
          )}
        </div>
      ))}
    </section>
  );
}

function Examples({ caption, children }: { readonly caption: string; readonly children: ComponentChildren }) {
  return (
    <details class="examples" open>
      <summary>{caption}</summary>
      {children}
    </details>
  );
}

/** A question in words: a report by its name, a referrer by their id, a broadcast by its number. */
function nameOf({ bot, name, kind, asked, report_config, uuid, ...rest }: Changed['question']): string {
  const what =
    name !== undefined
      ? words.report(String(name))
      : kind !== undefined
        ? words.asked(String(kind), number(asked ?? 0))
        : Object.entries(rest)
            .map(([key, value]) => `${key.replaceAll('_', ' ')} ${value}`)
            .join(', ');
  return bot === undefined ? what : words.ofBot(what, String(bot));
}

/** At most so many lines of an answer are shown. */
const SHOWN = 12;

/** The part of an answer that differs: a line for each row of a report, or for each field. */
function Part({ value }: { readonly value: unknown }) {
  const lines = linesOf(value, '');
  if (lines.length === 0) return <>{words.nothing}</>;
  return (
    <>
      {lines.slice(0, SHOWN).map((line, index) => (
        <div key={index}>
          {line.map(([name, shownValue], at) => (
            <Fragment key={at}>
              {at > 0 && ', '}
              {name !== '' && `${name}: `}
              <bdi>{shownValue}</bdi>
            </Fragment>
          ))}
        </div>
      ))}
      {lines.length > SHOWN && <div>…</div>}
    </>
  );
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;
const shown = (value: unknown): string => (value === null ? words.nothing : String(value));

/** Names of fields, each with its value. The name of an element of a list is empty. */
type Line = readonly (readonly [name: string, shownValue: string])[];

/** @param path the names of the fields that lead to the value; an element of a list has none */
function linesOf(value: unknown, path: string): Line[] {
  if (isPlain(value)) return [[[path, shown(value)]]];
  const entries = Object.entries(value as object);
  if (Array.isArray(value)) return value.flatMap((each) => linesOf(each, isPlain(each) ? path : ''));
  if (path === '' && entries.every(([, each]) => isPlain(each)))
    return [entries.map(([key, each]) => [key, shown(each)] as const)];
  return entries.flatMap(([key, each]) => linesOf(each, path === '' ? key : `${path}, ${key}`));
}
