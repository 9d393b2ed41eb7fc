import { parse, stringify } from 'lossless-json';
import type pg from 'pg';
import { inTransaction } from '../../database/transaction.ts';
import { Rejection } from '../../domain/rejection.ts';
import {
  PROGRESS_COLUMNS,
  type StoredProgress,
  shownProgress,
  type WorkProgress,
} from '../../queries/operations/stored-progress.ts';
import { exactNumber } from '../../util/exact-number.ts';
import type { Progress } from '../administration-context.ts';
import type { VersionDiff } from '../diff/version-diff.ts';
import { storableMessage } from '../storable-message.ts';
import type { UpgradePlan } from '../upgrade/upgrade-plan.ts';

/**
 * Inspections: long work that an operator asks for and that changes nothing (decisions.md#inspections). They stand in the schema
 * `runtime` and not in the log.
 */

export const INSPECTION_KINDS = ['diff', 'upgrade_plan'] as const;
type InspectionKind = (typeof INSPECTION_KINDS)[number];

/** The request of an inspection. A plan of an upgrade has only a kind. */
export interface InspectionRequest {
  readonly kind: InspectionKind;
  readonly projection: string | null;
  /** Versions. */
  readonly from: number | null;
  readonly to: number | null;
  readonly answers: boolean | null;
}

/** Dates are ISO 8601, UTC. */
export interface InspectionRow extends InspectionRequest {
  readonly inspection_id: string;
  readonly operator_id: number;
  /** The name of the operator when they asked. */
  readonly operator: string;
  readonly requested_at: string;
  /** `waiting`: no instance works on it now. */
  readonly state: 'waiting' | 'running' | 'done' | 'failed';
  readonly progress: WorkProgress | null;
  readonly error: string | null;
  readonly finished_at: string | null;
}

type InspectionResult = VersionDiff | UpgradePlan;

export interface InspectionWithResult extends InspectionRow {
  readonly result: InspectionResult | null;
  /** The parts of the result that were left out. */
  readonly cut: readonly string[];
}

/** An inspection that an instance has begun. Its number of starts tells it from later starts. */
export interface BegunInspection extends InspectionRequest {
  readonly inspection_id: string;
  readonly starts: number;
}

export type InspectionEnd =
  | { readonly result: InspectionResult; readonly cut: readonly string[] }
  | { readonly error: string };

/** At most so many ended inspections are kept. */
export const KEPT = 20;

/** @throws Rejection conflict: the same is asked for and has not ended */
export async function requestInspection(
  pool: pg.Pool,
  inspectionId: string,
  request: InspectionRequest,
  operator: { readonly operatorId: number; readonly name: string },
): Promise<void> {
  const { kind, projection } = request;
  // The other one may end between the two statements: then this one is tried again.
  for (;;) {
    const { rowCount } = await pool.query(
      `INSERT INTO runtime.inspections (inspection_id, kind, projection, request, operator_id, operator)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
      [inspectionId, kind, projection, JSON.stringify(request), operator.operatorId, operator.name],
    );
    if (rowCount === 1) return;
    const { rows } = await pool.query<{ id: string }>(
      `SELECT inspection_id AS id FROM runtime.inspections
        WHERE kind = $1 AND projection IS NOT DISTINCT FROM $2 AND finished_at IS NULL`,
      [kind, projection],
    );
    if (rows[0] !== undefined)
      throw new Rejection('conflict', 'kind', `inspection ${rows[0].id} does the same and has not ended`);
  }
}

/** Begins the oldest inspection that has not ended, once more if it was begun before. Null: there is none, or an erasure is under way. */
export async function beginInspection(pool: pg.Pool): Promise<BegunInspection | null> {
  const { rows } = await pool.query<{ inspection_id: string; starts: number; request: string }>(
    `UPDATE runtime.inspections SET starts = starts + 1, begun_at = clock_timestamp(), seen_at = clock_timestamp(),
       what = NULL, done = NULL, total = NULL, unit = NULL
      WHERE inspection_id = (SELECT inspection_id FROM runtime.inspections
                              WHERE finished_at IS NULL AND pg_try_advisory_xact_lock_shared(${ERASURE_LOCK})
                              ORDER BY requested_at, inspection_id LIMIT 1)
      RETURNING inspection_id, starts, request`,
  );
  if (rows[0] === undefined) return null;
  const { request, ...begun } = rows[0];
  return { ...(JSON.parse(request) as InspectionRequest), ...begun };
}

export async function saveInspectionProgress(
  pool: pg.Pool,
  { inspection_id, starts }: BegunInspection,
  progress: Progress | null,
): Promise<void> {
  const { what = null, done = null, total = null, unit = null } = progress ?? {};
  await pool.query(
    `UPDATE runtime.inspections SET what = $3, done = $4, total = $5, unit = $6, seen_at = clock_timestamp()
      WHERE inspection_id = $1 AND starts = $2`,
    [inspection_id, starts, what, done, total, unit],
  );
}

/** Takes back a start that ended because its instance stops. */
export async function leaveInspection(pool: pg.Pool, { inspection_id, starts }: BegunInspection): Promise<void> {
  await pool.query(
    'UPDATE runtime.inspections SET starts = starts - 1 WHERE inspection_id = $1 AND starts = $2 AND finished_at IS NULL',
    [inspection_id, starts],
  );
}

/**
 * Records the end of an inspection, and removes the oldest that have ended. Nothing is recorded if another instance has begun it
 * since, or if an erasure has ended it.
 */
export async function endInspection(
  pool: pg.Pool,
  { inspection_id, starts }: BegunInspection,
  end: InspectionEnd,
): Promise<void> {
  const { result, cut, error } = 'result' in end ? { ...end, error: null } : { result: null, cut: [], ...end };
  await pool.query(
    `UPDATE runtime.inspections SET finished_at = clock_timestamp(), error = $3, result = $4, cut = $5
      WHERE inspection_id = $1 AND starts = $2 AND finished_at IS NULL`,
    [inspection_id, starts, error === null ? null : storableMessage(error), textOf(result), cut],
  );
  await pool.query(
    `DELETE FROM runtime.inspections WHERE inspection_id IN (
       SELECT inspection_id FROM runtime.inspections WHERE finished_at IS NOT NULL
        ORDER BY finished_at DESC, inspection_id OFFSET ${KEPT})`,
  );
}

const textOf = (result: InspectionResult | null): string | null => (result === null ? null : stringify(result)!);

/** The arguments of PostgreSQL's functions of advisory locks. An erasure holds the lock alone. */
const ERASURE_LOCK = `'runtime.inspections'::regclass::oid::integer, 0`;

/**
 * Removes the results of comparisons, ends open ones as failed, then erases: they may have values of the user. None begins until
 * the log has the erasure or the erasure fails. So a kill at any moment leaves no result that is older than the erasure. A
 * comparison that begins later waits until its tables have applied the erasure.
 */
export async function eraseWithComparisons<T>(pool: pg.Pool, erase: () => Promise<T>): Promise<T> {
  return inTransaction(pool, async (tx) => {
    await tx.query(`SELECT pg_advisory_xact_lock(${ERASURE_LOCK})`);
    // A separate transaction, which ends before the log has the erasure.
    await pool.query(
      `UPDATE runtime.inspections SET result = NULL, error = 'an erasure of a user has begun since: compare again',
         finished_at = coalesce(finished_at, clock_timestamp())
        WHERE kind = 'diff' AND (finished_at IS NULL OR result IS NOT NULL)`,
    );
    return erase();
  });
}

interface Stored
  extends StoredProgress,
    Omit<InspectionRow, keyof InspectionRequest | 'state' | 'progress' | 'requested_at'> {
  readonly request: string;
  readonly requested_at: Date;
  readonly ended: Date | null;
  readonly result?: string | null;
  readonly cut?: readonly string[];
}

const COLUMNS = `inspection_id, operator_id::float8, operator, request, requested_at, finished_at AS ended, error,
  ${PROGRESS_COLUMNS}`;

/** All inspections without their results, newest first. */
export async function listInspections(pool: pg.Pool): Promise<InspectionRow[]> {
  const { rows } = await pool.query<Stored>(
    `SELECT ${COLUMNS} FROM runtime.inspections AS p ORDER BY requested_at DESC, inspection_id`,
  );
  return rows.map(shown);
}

/** @param inspectionId a UUID */
export async function findInspection(pool: pg.Pool, inspectionId: string): Promise<InspectionWithResult | null> {
  const { rows } = await pool.query<Stored>(
    `SELECT ${COLUMNS}, result, cut FROM runtime.inspections AS p WHERE inspection_id = $1`,
    [inspectionId],
  );
  if (rows[0] === undefined) return null;
  const { result = null, cut = [] } = rows[0];
  return {
    ...shown(rows[0]),
    result: result === null ? null : (parse(result, undefined, exactNumber) as InspectionResult),
    cut,
  };
}

function shown(row: Stored): InspectionRow {
  const { inspection_id, request, operator_id, operator, requested_at, error, running, ended } = row;
  const isOpen = ended === null;
  return {
    ...{ inspection_id, ...(JSON.parse(request) as InspectionRequest) },
    ...{ operator_id, operator, requested_at: requested_at.toISOString() },
    state: isOpen ? (running ? 'running' : 'waiting') : error === null ? 'done' : 'failed',
    progress: isOpen ? shownProgress(row) : null,
    ...{ error, finished_at: ended?.toISOString() ?? null },
  };
}
