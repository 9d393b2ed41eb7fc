import { Rejection } from '../../domain/rejection.ts';
import type { Cursor, Position } from '../../log/port.ts';
import { type Manifest, schemaOf } from '../../projections/read-model.ts';
import { diffRows, type SampleRow, type TableDiff, type UncomparedTable } from '../../projections/runtime/diff-rows.ts';
import { atSamePosition, type VersionPair } from '../../projections/runtime/same-position.ts';
import { layoutChanges, layoutOf } from '../../projections/runtime/table-layout.ts';
import { allVersions, type Version } from '../../projections/runtime/versions.ts';
import type { AdministrationContext, LongWorkContext } from '../administration-context.ts';
import { type ComparedAnswers, compareAnswers } from './compare-answers.ts';
import type { ComparedVersions } from './pinned-reader.ts';
import { positionsOfRows } from './row-causes.ts';

/** A sample row, with the position of the commit that it names. */
export type DiffSample = Omit<SampleRow, 'row'> & { readonly position: Position | null };

/** The difference of two versions of a read model (decisions.md#projection-diff). */
export interface VersionDiff extends VersionPair, ComparedAnswers {
  readonly name: string;
  /** Per partition, the position up to which both have applied the log. */
  readonly positions: readonly Position[];
  /** Whether no compared row and no compared answer differs, and no table or column. */
  readonly equal: boolean;
  /** How columns differ: `table.column is new`. */
  readonly layout: readonly string[];
  readonly tables: readonly (Omit<TableDiff, 'samples'> & { readonly samples: readonly DiffSample[] })[];
  readonly uncompared: readonly UncomparedTable[];
}

export interface DiffRequest {
  /** Default: the version that is live. */
  readonly from?: number | undefined;
  /** Default: the newest version of this program. */
  readonly to?: number | undefined;
  /** How long to wait until both are at the same position. */
  readonly waitMs: number;
  /** Whether answers are compared as well as rows. */
  readonly answers: boolean;
  /** Both versions must have applied the log up to here. Absent: wherever they are. */
  readonly passed?: Cursor;
}

/** At most so many sample rows of each kind in a table. */
const SAMPLES = 5;

/**
 * Compares two versions of a read model in one snapshot in which both are at the same position. It writes nothing.
 * @throws Rejection, NotComparableError
 */
export async function diffVersions(
  context: LongWorkContext,
  model: Manifest,
  request: DiffRequest,
): Promise<VersionDiff> {
  const versions = await comparedVersions(context, model, request);
  const pair = { from: versions.from.version, to: versions.to.version };
  const { model: code } = await context.projector(model);
  const [from, to] = [schemaOf(model.name, pair.from), schemaOf(model.name, pair.to)];
  const { log, signal, progress } = context;
  const onTable = (done: number, total: number): void =>
    progress({ what: `comparing ${model.name}`, done, total, unit: 'tables' });
  const read = await atSamePosition(
    { ...{ pool: context.pool, model: code, signal }, ...pair, waitMs: request.waitMs, passed: request.passed },
    async (tx, at) => {
      const layout = layoutChanges(await layoutOf(tx, from), await layoutOf(tx, to));
      const rows = await diffRows(tx, { model: code, from, to, samples: SAMPLES, onTable });
      const none = { answers: [], answers_left_out: [] };
      return { at, layout, ...rows, ...(request.answers ? await compareAnswers(context, model, versions, tx) : none) };
    },
  );
  const { at, layout, tables, uncompared, answers, answers_left_out } = read;
  const samples = tables.flatMap((table) => table.samples);
  const positions = await positionsOfRows(log, model.name, samples, signal);
  progress(null);
  return {
    ...{ name: model.name, ...pair, positions: positionsOf(at) },
    equal:
      layout.length === 0 &&
      uncompared.length === 0 &&
      tables.every(isEqual) &&
      answers.every(({ differing }) => differing === 0),
    layout,
    tables: tables.map((table) => ({
      ...table,
      samples: table.samples.map((sample) => {
        const { row: _, ...shown } = sample;
        return { ...shown, position: positions.get(sample) ?? null };
      }),
    })),
    ...{ uncompared, answers, answers_left_out },
  };
}

function isEqual({ only_from, only_to, changed }: Pick<TableDiff, 'only_from' | 'only_to' | 'changed'>): boolean {
  return only_from + only_to + changed === 0;
}

function positionsOf(at: Cursor): Position[] {
  return [...at].sort(([a], [b]) => a - b).map(([, position]) => position);
}

/** The two versions of the request. @throws Rejection that points at `from` or `to` */
export async function comparedVersions(
  { pool }: AdministrationContext,
  { name, shape }: Manifest,
  { from: givenFrom, to: givenTo }: Pick<DiffRequest, 'from' | 'to'>,
): Promise<ComparedVersions> {
  const versions = (await allVersions(pool)).filter((version) => version.name === name);
  const named = (path: 'from' | 'to', number: number): Version => {
    const found = versions.find(({ version }) => version === number);
    if (found === undefined) throw new Rejection('not_found', path, `there is no version ${number} of ${name}`);
    return found;
  };
  const refuse = (path: string, why: string): Rejection => new Rejection('conflict', path, `${name} ${why}`);
  const from = givenFrom === undefined ? versions.find(({ state }) => state === 'live') : named('from', givenFrom);
  if (from === undefined) throw refuse('from', 'has no live version');
  const to = givenTo === undefined ? versions.findLast((each) => each.shape === shape) : named('to', givenTo);
  if (to === undefined) throw refuse('to', 'has no second version: rebuild it first');
  if (to.version === from.version)
    throw refuse('to', `version ${to.version} is both sides: rebuild it first, or name another version`);
  const pair = { from, to };
  for (const [path, { version, state }] of Object.entries(pair))
    if (state === 'building') throw refuse(path, `version ${version} is still being built`);
  return pair;
}
