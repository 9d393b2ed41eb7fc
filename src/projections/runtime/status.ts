import type pg from 'pg';
import type { EventLog, Lag } from '../../log/port.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import { loadCheckpoint } from './checkpoint.ts';

/** A row of `projection list` (decisions 7). */
export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  readonly kind: 'read-model' | 'process';
  readonly state: 'live' | 'building' | 'ready' | 'stopped';
  /** The positions of its lanes, joined by commas; null before the first. */
  readonly position: string | null;
  /** Events not yet read (an upper bound) and the age of the oldest of them in seconds. */
  readonly lag: { readonly events: number; readonly seconds: number };
  readonly error: string | null;
  /** What to type next when something is wrong. */
  readonly next_command: string | null;
}

export async function projectionStatus(pool: pg.Pool, log: EventLog, model: ReadModel): Promise<ProjectionStatus> {
  const cursor = await loadCheckpoint(pool, model);
  const lag: Lag = await log.lag(cursor ?? new Map());
  const row = cursor === null ? undefined : await recordedState(pool, model);
  return {
    name: model.name,
    version: model.version,
    kind: 'read-model',
    state: row?.state ?? 'building',
    position: cursor === null || cursor.size === 0 ? null : [...cursor.values()].sort().join(','),
    lag: { events: lag.commits, seconds: lag.seconds },
    error: row?.error ?? null,
    next_command: null,
  };
}

async function recordedState(
  pool: pg.Pool,
  model: ReadModel,
): Promise<{ state: 'live' | 'stopped'; error: string | null }> {
  const { rows } = await pool.query<{ state: 'live' | 'stopped'; error: string | null }>(
    `SELECT state, error FROM ${schemaOf(model)}.projection_state`,
  );
  return rows[0]!;
}
