import fc from 'fast-check';
import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UpdateItem } from '../../../src/domain/intake/intake-events.ts';
import type { LedgerEvent } from '../../../src/domain/ledger-events.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import type { ReadCommit } from '../../../src/projections/read-model.ts';
import { eventsSnapshot, sorted } from '../../support/events-snapshot.ts';
import { commitId, readCommit } from '../../support/intake-commits.ts';
import { type EventsSnapshot, foldIntake } from '../../support/intake-fold.ts';
import {
  cut,
  DAY,
  date,
  EPOCH,
  HOUR,
  interleaved,
  partitionsOf,
  type Step,
  step,
  updateItem,
} from '../../support/intake-logs.ts';
import { longOnly } from '../../support/long-only.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { createTestProjection, type TestProjection } from '../../support/test-projection.ts';

let projection: TestProjection;

beforeAll(async () => {
  projection = await createTestProjection(eventsReadModel);
});
afterAll(() => projection.drop());

function project(batches: readonly (readonly ReadCommit[])[]): Promise<EventsSnapshot> {
  return projection.project(batches, async (tx) => {
    await checkMemories(tx);
    return eventsSnapshot(tx);
  });
}

/** Checks the invariants of every state. */
async function checkMemories(tx: ClientBase): Promise<void> {
  const { rows } = await tx.query(`
    SELECT (SELECT count(*) FROM pending_events p JOIN known_users USING (bot_id, user_id) JOIN bots b USING (bot_id)
             WHERE p.received >= b.clock - ${DAY})::int AS waits_for_known,
           (SELECT count(*) FROM pending_events p JOIN bots b USING (bot_id)
             WHERE p.received < b.clock - ${DAY + HOUR})::int AS waits_too_long,
           (SELECT count(*) FROM update_ids u JOIN bots b USING (bot_id)
             WHERE u.received < b.clock - ${7 * DAY + HOUR})::int AS remembered_too_long`);
  expect(rows).toEqual([{ waits_for_known: 0, waits_too_long: 0, remembered_too_long: 0 }]);
}

describe('the read model `events`', () => {
  it('holds what a plain fold of the log gives, for every interleaving of partitions and every cut into batches', async () => {
    const log = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' });
    const picks = fc.array(fc.nat(9), { minLength: 1, maxLength: 60, size: 'max' });
    const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(log, picks, sizes, async (steps, picks, sizes) => {
        const partitions = partitionsOf(steps);
        const expected = sorted(foldIntake([...partitions.values()].flat()));
        expect(sorted(await project(cut(interleaved(partitions, picks), sizes)))).toEqual(expected);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  longOnly('holds the same for every order of arrival', async () => {
    const events = fc.uniqueArray(fc.record({ date, update: updateItem, custom: fc.boolean() }), {
      selector: ({ date }) => date,
      minLength: 2,
      maxLength: 25,
      size: 'max',
    });
    await fc.assert(
      fc.asyncProperty(events, fc.infiniteStream(fc.nat()), async (events, random) => {
        const inOrder = [...events].sort((a, b) => a.date - b.date);
        const shuffled = events.map((event) => [random.next().value, event] as const).sort(([a], [b]) => a - b);
        const arrival = shuffled.map(([, event]) => event);
        // Every third event is sent twice.
        const repeated = [...arrival, ...arrival.filter((_, i) => i % 3 === 0)];
        const of = (arrived: typeof events) => cut(withKnownUsers(arrived.map(single)), [4, 1, 7]);
        expect(sorted(await project(of(repeated)))).toEqual(sorted(await project(of(inOrder))));
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});

/** A commit of one event. Its date names it. */
function single({
  date,
  update,
  custom,
}: {
  date: number;
  update: UpdateItem;
  custom: boolean;
}): Omit<ReadCommit, 'ordinal'> {
  const key = `${date}`;
  const { user_id } = update;
  // The order of arrival decides which payment of a charge counts. So each has its own charge.
  const charge = update.charge_id === undefined ? {} : { charge_id: key };
  const items = [{ ...update, ...charge, date, update_id: date, makes_user: true, event_id: update.event_id ?? 8 }];
  const app = date % 3 === 0 ? { webapp_name: 'app' } : {};
  const event: LedgerEvent = custom
    ? { type: 'custom_events_received', data: { items: [{ event_id: 101, user_id, date, event_key: key, ...app }] } }
    : { type: 'updates_received', data: { items } };
  return { ...readCommit('intake-a', 0, EPOCH, [event]), id: commitId(key) };
}

/** A log that begins with all users, then has these commits. */
function withKnownUsers(commits: readonly Omit<ReadCommit, 'ordinal'>[]): ReadCommit[] {
  const items = [1, 2, 3, 4].map((user_id) => ({ user_id }));
  const users: Step = {
    partition: 'bot-a',
    stream: 'intake-a',
    wait: 0,
    event: { type: 'users_imported', data: { items } },
  };
  const start = [...partitionsOf([users]).values()].flat();
  return [...start, ...commits.map((commit, i) => ({ ...commit, ordinal: 100 + i }))];
}
