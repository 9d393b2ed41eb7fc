import type pg from 'pg';
import type { EventLog, Position } from '../../log/port.ts';
import { lagOf } from './lag.ts';
import type { ProjectionStatus } from './status.ts';

/** A process that was not heard of for longer is run by nobody. */
const SILENT = '5 seconds';

interface Row {
  readonly name: string;
  readonly positions: Readonly<Record<string, Position>>;
  readonly error: string | null;
  readonly runs: boolean;
}

/**
 * The rows of the processes (src/processes/states.ts): how far each is, whether any instance runs it, and what it cannot go
 * on with (src/processes/states.ts).
 */
export async function processStatus(pool: pg.Pool, log: EventLog): Promise<ProjectionStatus[]> {
  const { rows } = await pool
    .query<Row>(
      `SELECT s.name, positions, coalesce(s.error, t.error) AS error,
              seen_at > clock_timestamp() - interval '${SILENT}' AS runs
         FROM processes.states s LEFT JOIN (
           SELECT name, min(subject || ': ' || error)
                        || CASE WHEN count(*) > 1 THEN format(' (and %s more)', count(*) - 1) ELSE '' END AS error
             FROM processes.troubles WHERE until > clock_timestamp() GROUP BY name
         ) t USING (name) ORDER BY s.name`,
    )
    .catch(noneIfAbsent);
  return Promise.all(
    rows.map(async ({ name, positions, error, runs }) => {
      const cursor = new Map(Object.entries(positions).map(([partition, position]) => [Number(partition), position]));
      return {
        name,
        version: 1,
        kind: 'process' as const,
        state: runs && error === null ? ('live' as const) : ('stopped' as const),
        position: cursor.size === 0 ? null : [...cursor.values()].sort().join(','),
        lag: lagOf(await log.lag(cursor)),
        deferred: null,
        error: error ?? (runs ? null : 'no running instance has the role of it'),
        next_command: null,
      };
    }),
  );
}

/** No service was started since the schema was dropped: SQLSTATE 42P01, undefined_table. */
function noneIfAbsent(error: unknown): { rows: Row[] } {
  if ((error as { code?: unknown }).code === '42P01') return { rows: [] };
  throw error;
}
