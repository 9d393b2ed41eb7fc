import fc from 'fast-check';
import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chunk, type ColumnName, codedOf, indexesOf, kindOf, numbersOf } from '../../../src/columns/chunk.ts';
import { rowColumns } from '../../../src/columns/chunk-builder.ts';
import { copyRows } from '../../../src/database/copy-rows.ts';
import type { Snapshot } from '../../../src/database/snapshot.ts';
import { statement } from '../../../src/database/statement.ts';
import type { LedgerEvent } from '../../../src/domain/ledger-events.ts';
import { allEvents } from '../../../src/projections/events/packed/archived-rows.ts';
import { eventsReadModel, withArchive } from '../../../src/projections/events/read-model.ts';
import { type ChunkCache, createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { StoredEventSource } from '../../../src/queries/reports/chunks.ts';
import { findEvents } from '../../../src/queries/reports/stored-events.ts';
import { cut, DAY, interleaved, partitionsOf, type Step, step } from '../../support/intake-logs.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { firstSchema } from '../../support/read-model-tables.ts';
import { createTestProjection, type TestProjection } from '../../support/test-projection.ts';

/** A thread keeps chunks merged with late and changed events. It must notice each of them at the next report. */

const LIMITS = { chunk: 3, newest: 1, changed: 6, share: 1000, changedInChunk: 3 };
/** Packs, packs again and archives chunks of three events. */
const model = withArchive(eventsReadModel, 1, LIMITS);
/** The same, but events may change many times until they are packed again. */
const late = withArchive(eventsReadModel, 1, { ...LIMITS, changed: 1000, changedInChunk: 1000 });
const SCHEMA = firstSchema(model);
const BOTS = [1, 2];
const ALWAYS = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
const COLUMNS = [
  ...(['user_idx', 'session', 'app_session', 'date_received', 'event_id', 'utm_id'] as const),
  ...(['value_int', 'value_amount', 'unit', 'category', 'properties.plan'] as const),
] satisfies ColumnName[];

let projection: TestProjection;

beforeAll(async () => {
  projection = await createTestProjection(model);
});
afterAll(() => projection.drop());

interface Read {
  /** For each event, in order, its date and the columns, as text. */
  readonly events: readonly string[];
  /** The statements that read rows or columns of events. */
  readonly statements: number;
}

/** Reads the events of a bot as a report does. */
async function eventsOf(
  tx: ClientBase,
  botId: number,
  { cache, columns }: { readonly cache: ChunkCache; readonly columns: readonly ColumnName[] },
): Promise<Read> {
  const tables = { events: SCHEMA, users: '', referral: '' };
  const snapshot: Snapshot = {
    async query(fragment) {
      const { text, values } = statement(fragment);
      return (await tx.query(text, values)).rows;
    },
    copy: (...select) => copyRows(tx, ...select),
    transaction: async () => tx,
    checkTime: () => {},
  };
  let statements = 0;
  const copy: typeof snapshot.copy = (...select) => {
    statements++;
    return snapshot.copy(...select);
  };
  const options = { botId, tables, span: ALWAYS, snapshot: { ...snapshot, copy }, cache };
  const events: string[] = [];
  const source = new StoredEventSource(options, await findEvents(options));
  await source.each(columns, (chunk, begin, end) => {
    const cells = ['date' as const, ...columns].map((name) => cellsOf(chunk, name));
    for (let at = begin; at < end; at++) events.push(cells.map((cell) => cell(at)).join('|'));
  });
  return { events, statements };
}

function cellsOf(chunk: Chunk, name: ColumnName): (at: number) => string {
  switch (kindOf(name)) {
    case 'index': {
      const indexes = indexesOf(chunk, name as 'user_idx');
      return (at) => String(indexes[at]);
    }
    case 'number': {
      const numbers = numbersOf(chunk, name as 'date');
      return (at) => (Number.isNaN(numbers[at]) ? '' : String(numbers[at]));
    }
    case 'coded': {
      const { codes, values } = codedOf(chunk, name as 'unit');
      return (at) => String(values[codes[at]!] ?? '');
    }
  }
}

/** The same from the rows. */
async function rowsOf(tx: ClientBase, botId: number, columns: readonly ColumnName[]): Promise<string[]> {
  const { rows } = await tx.query<(string | number | null)[]>({
    text: `SELECT ${rowColumns(['date', ...columns])} FROM ${allEvents(SCHEMA)} AS e WHERE e.bot_id = ${botId} ORDER BY e.date, e.ord`,
    rowMode: 'array',
  });
  return rows.map((row) =>
    row.map((cell, i) => String(cell ?? (i > 0 && kindOf(columns[i - 1]!) === 'index' ? 0 : ''))).join('|'),
  );
}

/** A cache of this size keeps all that is read. */
const LARGE = 1e7;
/** How often a large cache was asked again for chunks that had changed. */
let repeated = 0;

/** Compares what a thread with this cache reads with the rows. */
async function check(tx: ClientBase, cache: ChunkCache, columns: readonly ColumnName[], bytes: number): Promise<void> {
  for (const botId of BOTS) {
    const expected = await rowsOf(tx, botId, columns);
    expect((await eventsOf(tx, botId, { cache, columns })).events).toEqual(expected);
    const { rowCount } = await tx.query(`SELECT FROM ${SCHEMA}.timelines WHERE bot_id = ${botId} AND changed > 0`);
    if (rowCount === 0 || bytes < LARGE) continue;
    repeated++;
    expect(await eventsOf(tx, botId, { cache, columns })).toEqual({ events: expected, statements: 0 });
  }
}

describe('the events that a thread reads', () => {
  it('equal the rows after each batch and each slice of deferred work, whatever the thread read before', async () => {
    const pause = fc.constantFrom(2, 40).map((days) =>
      (['a', 'b'] as const).map((key): Step => {
        const data = { items: [{ event_id: 101, user_id: 1 }] };
        const event: LedgerEvent = { type: 'custom_events_received', data };
        return { partition: `bot-${key}`, stream: `intake-${key}`, wait: days * DAY, event };
      }),
    );
    const money = step.filter(({ partition }) => !partition.startsWith('bot-'));
    const anyStep = fc.oneof({ weight: 6, arbitrary: step }, { weight: 1, arbitrary: money });
    const some = fc.array(anyStep, { minLength: 10, maxLength: 30, size: 'max' });
    const log = fc.tuple(some, pause, some, pause, some).map((parts) => parts.flat());
    const picks = fc.array(fc.nat(9), { minLength: 1, maxLength: 60, size: 'max' });
    const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 5 });
    const slices = fc.array(fc.constantFrom(0, 0, 1, 2, 100), { minLength: 1, maxLength: 8, size: 'max' });
    const read = fc.array(fc.subarray(COLUMNS, { minLength: 1 }), { minLength: 1, maxLength: 8, size: 'max' });
    const bytes = fc.constantFrom(1, 5000, LARGE, LARGE);
    await fc.assert(
      fc.asyncProperty(
        log,
        picks,
        sizes,
        slices,
        read,
        bytes,
        fc.constantFrom(model, late),
        async (steps, picks, sizes, slices, read, bytes, { idle }) => {
          // A transaction that is rolled back repeats the numbers of its writes.
          const cache = createChunkCache(bytes);
          let [batch, reads] = [0, 0];
          const next = (tx: ClientBase) => check(tx, cache, read[reads++ % read.length]!, bytes);
          await projection.project(cut(interleaved(partitionsOf(steps), picks), sizes), next, async (tx) => {
            await next(tx);
            for (let left = slices[batch++ % slices.length]!; left > 0 && (await idle!(tx, false)); left--)
              await next(tx);
          });
        },
      ),
      { numRuns: propertyRuns(20), endOnFailure: true }, // to shrink a log takes minutes
    );
    expect(repeated).toBeGreaterThan(20);
  });
});
