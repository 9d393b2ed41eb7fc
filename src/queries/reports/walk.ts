import { sql } from 'kysely';
import type { ReportField } from '../../domain/reports/fields.ts';
import type { Arrays } from './arrays.ts';
import type { ChunkCache } from './chunk-cache.ts';
import type { ReportTables } from './columns.ts';
import { type EventSource, openEvents, type Span } from './event-source.ts';
import { placeOf } from './field-columns.ts';
import type { MatcherSource, Utm } from './matcher.ts';
import type { Snapshot } from './snapshot.ts';

/** What reports that walk a bot's events work on. */
export interface Walk extends MatcherSource {
  readonly events: EventSource;
  readonly arrays: Arrays;
  readonly checkTime: () => void;
}

export interface WalkOptions {
  readonly botId: number;
  readonly tables: ReportTables;
  /** What it walks over. */
  readonly span: Span;
  readonly snapshot: Snapshot;
  readonly cache: ChunkCache;
  /** For as long as the report runs. */
  readonly arrays: Arrays;
}

/** @param fields that the report names */
export async function openWalk(options: WalkOptions, fields: readonly ReportField[]): Promise<Walk> {
  const { botId, tables, snapshot, arrays } = options;
  const { query, checkTime } = snapshot;
  const events = await openEvents(options);
  const utms = fields.some(isUtm) ? await utmsOf(options, events) : [];
  return { botId, tables, query, users: events.users, utms, events, arrays, checkTime };
}

function isUtm(field: ReportField): boolean {
  return placeOf(field).type === 'utm';
}

async function utmsOf(
  { botId, tables, snapshot, cache }: WalkOptions,
  { utms: count, oldestChunk }: EventSource,
): Promise<readonly Utm[]> {
  const known = (oldestChunk === null ? undefined : cache.utms(oldestChunk)) ?? [NO_UTM];
  if (known.length > count) return known;
  const rows = await snapshot.query(sql<Utm & { utm_id: number }>`
    SELECT utm_id, source, medium, campaign, term, content FROM ${sql.id(tables.events, 'utms')}
     WHERE bot_id = ${botId} AND utm_id >= ${known.length}`);
  const utms = [...known];
  for (const { utm_id, ...utm } of rows) utms[utm_id] = utm;
  if (oldestChunk !== null) cache.setUtms(oldestChunk, utms);
  return utms;
}

const NO_UTM: Utm = { source: null, medium: null, campaign: null, term: null, content: null };
