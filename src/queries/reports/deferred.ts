import { sql } from 'kysely';
import type { Query } from '../../database/snapshot.ts';
import { leavesOf } from '../../domain/broadcast/audience.ts';
import type { SavedSegments } from '../../domain/broadcast/audience-segmentations.ts';
import { fieldsOf } from '../../domain/condition/condition.ts';
import type { Warning } from '../../domain/problem.ts';
import { fieldsRead, type Report } from '../../domain/reports/report.ts';
import { counted } from '../../util/counted.ts';
import type { ReportTables } from './field-sql.ts';
import { ALWAYS, NEVER, type Span } from './stored-events.ts';

/** Values of a report that await revaluation after a change of rates, units or currency: deferred work. */
export interface Deferred {
  /** When the oldest such change was received, in milliseconds since 1970 UTC. */
  readonly since: number;
  readonly warning: Warning;
}

/** The deferred values of a report in its snapshot. Null: there are none, or the report reads no values. */
export async function deferredValues(
  report: Report,
  { span: period, savedSegments, ...source }: DeferredOptions,
): Promise<Deferred | null> {
  const ofSegments = fieldsOfSegments(savedSegments);
  const fields = new Set([...fieldsRead(report), ...ofSegments]);
  const readsAmounts = fields.has('events.value_amount');
  // Rates and currencies do not change value_int; units do.
  if (!readsAmounts && !fields.has('events.value_int')) return null;
  // A saved segment may look at events of any date.
  const isOfAll = ofSegments.has('events.value_amount') || ofSegments.has('events.value_int');
  const span = isOfAll ? { from: ALWAYS, to: NEVER } : period;
  return deferredEvents({ ...source, span, readsAmounts, path: 'source_request' });
}

interface DeferredEventsOptions extends Omit<DeferredOptions, 'savedSegments'> {
  readonly readsAmounts: boolean;
  /** Of the warning. */
  readonly path: string;
}

/** Events that await revaluation. Without amounts: the events that a new unit touches. Null: there are none. */
export async function deferredEvents({
  query,
  tables,
  botId,
  span,
  readsAmounts,
  path,
}: DeferredEventsOptions): Promise<Deferred | null> {
  // Has no parameters, so that it shares a round trip with the snapshot's BEGIN.
  const [bot, first, end] = [botId, span.from, span.to].map((number) => sql.lit(number));
  const [row] = await query(sql<DeferredRow>`
    SELECT events::int, exact, since::float8
      FROM ${sql.id(tables.events, 'deferred_events')}(${bot}, ${first}::bigint, ${end}::bigint, ${sql.lit(!readsAmounts)})`);
  const { events, exact, since } = row!;
  if (since === null) return null;
  const message = `${howMany(events, exact)} revaluation after a change of rates, units or currency; amounts may be stale`;
  return { since, warning: { path, message } };
}

interface DeferredOptions {
  readonly query: Query;
  readonly tables: ReportTables;
  readonly botId: number;
  /** The dates of the events that the report reads. */
  readonly span: Span;
  /** The conditions of the saved segments that it names. */
  readonly savedSegments: SavedSegments;
}

/** The names of the fields of events in the conditions of saved segments. */
function fieldsOfSegments(savedSegments: SavedSegments): ReadonlySet<string> {
  const performed = [...savedSegments.values()].flatMap(({ events }) => (events === null ? [] : leavesOf(events)));
  return new Set(
    performed.flatMap(({ condition }) => (condition === null ? [] : fieldsOf(condition))).map(({ name }) => name),
  );
}

interface DeferredRow {
  readonly events: number;
  readonly exact: boolean;
  /** Null: no values are deferred. */
  readonly since: number | null;
}

function howMany(events: number, exact: boolean): string {
  const awaiting = counted(events, 'event awaits', 'events await');
  if (exact) return awaiting;
  return events === 0 ? 'an unknown number of events await' : `at least ${awaiting}`;
}
