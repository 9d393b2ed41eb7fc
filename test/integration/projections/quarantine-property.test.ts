import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { type LedgerEvent, readEvent } from '../../../src/domain/ledger-events.ts';
import { EMPTY_STREAM, type LogEvent, LogUnavailableError, type StreamHead } from '../../../src/log/port.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import type { ReadCommit, ReadModel } from '../../../src/projections/read-model.ts';
import { runProjector, shareAmongProjectors } from '../../../src/projections/runtime/projector.ts';
import { projectionStatus } from '../../../src/projections/runtime/status.ts';
import { createTestDatabase } from '../../support/database.ts';
import { commitId } from '../../support/intake-commits.ts';
import { interleaved, partitionsOf, step } from '../../support/intake-logs.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { drain } from '../../support/projection.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { replay, rowsOf } from '../../support/replay.ts';

const BOT_CATEGORIES = ['intake', 'import', 'bot', 'referral', 'program', 'account', 'eventtypes'];
const logger = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });

/** The event as the log stores it, in the newest version of its type. */
function stored({ type, data }: LedgerEvent): LogEvent {
  for (let v = 9; ; v--) {
    try {
      readEvent({ type, v, data });
      return { type, v, data };
    } catch (error) {
      if (v === 1) throw error;
    }
  }
}

/** Appends commits; of those of a bot, each that `isBad` picks cannot be applied. @returns ids of the bad ones */
async function fill(
  log: MemoryLog,
  commits: readonly ReadCommit[],
  heads: Map<string, StreamHead>,
  isBad: (index: number) => boolean,
): Promise<Set<string>> {
  const bad = new Set<string>();
  for (const [index, { stream, at, events }] of commits.entries()) {
    const isAny = /^(intake|referral|clicks)-/.test(stream);
    const id = commitId(`${stream} ${heads.size} ${index}`);
    const expected = isAny ? 'any' : (heads.get(stream) ?? EMPTY_STREAM);
    const { head } = await log.append({ id, stream, expected, at, events: events.map(stored) });
    if (head !== null) heads.set(stream, head);
    if (isBad(index) && BOT_CATEGORIES.some((category) => stream.startsWith(`${category}-`))) bad.add(id);
  }
  return bad;
}

/** The model in a program that cannot apply the bad commits, and whose transactions are cut off now and then. */
function faulty(bad: () => ReadonlySet<string>, cutOff: () => boolean): ReadModel {
  return {
    ...eventsReadModel,
    async apply(tx, commits) {
      if (commits.some(({ id }) => bad().has(id))) throw new TypeError('this commit cannot be taken');
      await eventsReadModel.apply(tx, commits);
      if (cutOff()) throw new LogUnavailableError('cut off');
    },
  };
}

it('equals a replay after bots were quarantined at any commits, cut off at any transaction, and repaired', async () => {
  const steps = fc.array(step, { minLength: 10, maxLength: 40, size: 'max' });
  const picks = fc.array(fc.nat(9), { minLength: 1, maxLength: 60, size: 'max' });
  const badAt = fc.array(fc.nat(40), { minLength: 1, maxLength: 6 });
  const cutAt = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(
      steps,
      picks,
      badAt,
      cutAt,
      fc.constantFrom(1, 3),
      async (steps, picks, badAt, cutAt, partitions) => {
        const { pool, drop } = await createTestDatabase();
        const log = memoryLog(partitions);
        let bad: ReadonlySet<string> = new Set();
        let applied = 0;
        const model = faulty(
          () => bad,
          () => cutAt.includes(++applied),
        );
        const start = (holder: string) => {
          const stop = new AbortController();
          const options = { model, log, logger, onBadEvent: 'quarantine', signal: stop.signal } as const;
          const done = runProjector({ ...options, ...shareAmongProjectors(pool, holder, logger) });
          return async () => {
            stop.abort();
            await done;
          };
        };
        const status = async () => (await projectionStatus(pool, log, [eventsReadModel]))[0]!;
        const untilRead = () =>
          expect.poll(status, { timeout: 60_000 }).toMatchObject({ lag: { events: 0 }, state: 'live' });
        try {
          await migrateRuntimeSchema(pool);
          const first = start('one');
          await untilRead(); // a version is built without bad commits
          const all = interleaved(partitionsOf(steps), picks);
          const heads = new Map<string, StreamHead>();
          bad = await fill(log, all.slice(0, all.length / 2), heads, (index) => badAt.includes(index));
          await untilRead();
          const more = await fill(log, all.slice(all.length / 2), heads, (index) => badAt.includes(index + 20));
          bad = new Set([...bad, ...more]);
          await untilRead();
          await first();
          bad = new Set();
          const second = start('two');
          await expect.poll(status, { timeout: 60_000 }).toMatchObject({ quarantined: [], error: null });
          await second();
          await drain(pool, eventsReadModel);
          expect(await rowsOf(pool, eventsReadModel)).toEqual(
            await replay(eventsReadModel, log.commits.flat(), log.keys),
          );
          expect((await pool.query('SELECT FROM events_v1.dead_letters')).rowCount).toBe(0);
        } finally {
          await drop();
        }
      },
    ),
    { numRuns: propertyRuns(3), endOnFailure: true },
  );
});
