import { sql } from 'kysely';
import type { ArrayPool } from '../../columns/array-pool.ts';
import type { ScanSource } from '../../columns/event-source.ts';
import type { Snapshot } from '../../database/snapshot.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import { type ChunkCache, openDictionaries } from './chunk-cache.ts';
import { StoredEventSource } from './chunks.ts';
import type { ConditionSource } from './conditions.ts';
import { NO_MEMBERS, type ReportTables, type SavedSegmentMembers, storageOf, type Utm } from './field-sql.ts';
import { findEvents, type Span, type StoredEvents } from './stored-events.ts';
import { openUserColumns } from './user-columns.ts';

/** The data of a scan: a bot's events, and the sources of the report's conditions and breakdowns. */
export interface Scan extends ConditionSource, ScanSource {}

export interface ScanOptions {
  readonly botId: number;
  readonly tables: ReportTables;
  /** The dates of the events to scan. */
  readonly span: Span;
  readonly snapshot: Snapshot;
  readonly cache: ChunkCache;
  /** Open while the report runs. */
  readonly arrays: ArrayPool;
  /** Default: of no saved segment. */
  readonly members?: SavedSegmentMembers;
}

/**
 * @param fields that the report names: UTM labels are loaded only if one of them is a label
 * @param stored the events, if they were found before
 */
export async function openScan(
  options: ScanOptions,
  fields: readonly ReportField[],
  stored?: StoredEvents,
): Promise<Scan> {
  const { botId, tables, snapshot, cache, arrays, members = NO_MEMBERS } = options;
  const { query, copy } = snapshot;
  const events = new StoredEventSource(options, stored ?? (await findEvents(options)));
  const { users } = events;
  return {
    ...{ botId, tables, query, copy, members, events, arrays, users },
    utms: fields.some(isUtm) ? await utmsOf(options, events) : [],
    userColumns: openUserColumns({ ...options, members, users }),
    dictionaries: openDictionaries(cache, events.oldestChunk),
  };
}

function isUtm(field: ReportField): boolean {
  return storageOf(field).type === 'utm';
}

/** The labels of UTM combinations by id: from the cache, and newer ones from the database. */
async function utmsOf(
  { botId, tables, snapshot, cache }: ScanOptions,
  { utms: count, oldestChunk }: StoredEventSource,
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
