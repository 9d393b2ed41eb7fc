import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEvent } from '../../../src/domain/ledger-events.ts';
import type { ReadCommit } from '../../../src/projections/read-model.ts';
import { usersReadModel } from '../../../src/projections/users/read-model.ts';
import { cut, EPOCH, partitionsOf, type Step, step } from '../../support/intake-logs.ts';
import { createTestProjection, type TestProjection } from '../../support/test-projection.ts';

/** The rows of users whose personal data is erased, without and after a rebuild. A rebuild cannot open the data. */
let projection: TestProjection;

beforeAll(async () => {
  projection = await createTestProjection(usersReadModel);
});
afterAll(() => projection.drop());

function rows(batches: readonly (readonly ReadCommit[])[]): Promise<Record<string, unknown>[]> {
  return projection.project(batches, async (tx) => {
    const { rows } = await tx.query<{ row: Record<string, unknown> }>(
      'SELECT to_jsonb(u) AS row FROM users u ORDER BY bot_id, user_id',
    );
    return rows.map(({ row }) => row);
  });
}

/** The commits as a rebuild reads them: without personal data of users that are erased later. */
function forgotten(commits: readonly ReadCommit[]): ReadCommit[] {
  return commits.map((commit, index) => {
    const erased = new Set(
      commits
        .slice(index)
        .filter(({ stream }) => stream === commit.stream)
        .flatMap(({ events }) => events.flatMap((event) => (event.type === 'user_erased' ? [event.data.user_id] : []))),
    );
    return { ...commit, events: commit.events.map((event) => withoutPerson(event, erased)) };
  });
}

function withoutPerson(event: LedgerEvent, users: ReadonlySet<number>): LedgerEvent {
  switch (event.type) {
    case 'updates_received': {
      const items = event.data.items.map((item) => {
        const { person: _, ...rest } = item;
        return users.has(item.user_id) ? rest : item;
      });
      return { type: event.type, data: { items } };
    }
    case 'users_imported': {
      const items = event.data.items.map((item) => {
        if (!users.has(item.user_id)) return item;
        const { user_id, date_create, date_last_active, is_bot, user_status, is_premium } = item;
        return { user_id, date_create, date_last_active, is_bot, user_status, is_premium };
      });
      return { type: event.type, data: { items } };
    }
    default:
      return event;
  }
}

const erasure: fc.Arbitrary<Step> = fc
  .record({
    bot: fc.constantFrom('a', 'b'),
    wait: fc.constantFrom(0, 1, 60_000),
    user_id: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ bot, wait, user_id }) => ({
    partition: `bot-${bot}` as Step['partition'],
    stream: `intake-${bot}`,
    wait,
    event: { type: 'user_erased', data: { user_id } },
  }));

describe('users that were erased', () => {
  it('are the same in a rebuild, which cannot open the erased data, for any batches of the log', async () => {
    const log = fc.array(fc.oneof({ weight: 6, arbitrary: step }, { weight: 1, arbitrary: erasure }), {
      minLength: 5,
      maxLength: 40,
      size: 'max',
    });
    const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(log, sizes, async (steps, sizes) => {
        const commits = [...partitionsOf(steps).values()].flat();
        const live = await rows(cut(commits, sizes));
        expect(await rows([commits])).toEqual(live);
        expect(await rows(cut(forgotten(commits), sizes))).toEqual(live);
      }),
      { numRuns: 150 },
    );
  });

  it('are the same in a rebuild if clocks differ', async () => {
    const item = { update_id: 1, user_id: 42, makes_user: true, is_bot: false, is_premium: false };
    const step = (wait: number, event: LedgerEvent): Step => ({ partition: 'bot-a', stream: 'intake-a', wait, event });
    const commits = partitionsOf([
      step(3000, { type: 'users_imported', data: { items: [{ user_id: 42, person: { first_name: 'Ada' } }] } }),
      // Later in the log but earlier by its clock: it still wins over updates from before the first import.
      step(-2000, { type: 'users_imported', data: { items: [{ user_id: 42, is_premium: true }] } }),
      step(0, { type: 'user_erased', data: { user_id: 42 } }),
      step(0, { type: 'updates_received', data: { items: [{ ...item, date: EPOCH + 2000 }] } }),
    ]).get('bot-a')!;
    const live = await rows([commits]);
    expect(live).toMatchObject([{ is_premium: true }]);
    expect(await rows([forgotten(commits)])).toEqual(live);
  });

  it('keep data that are not personal, and get a name again from later events', async () => {
    const item = { update_id: 1, user_id: 42, date: EPOCH, makes_user: true, is_bot: false, is_premium: true };
    const update = (update_id: number, person: object): LedgerEvent => ({
      type: 'updates_received',
      data: { items: [{ ...item, update_id, person, start_param: 'source-ads' }] },
    });
    const fields = { gender: 'f', timezone: 'Europe/London', custom_fields: { phone: '1' } };
    const events: LedgerEvent[] = [
      update(1, { first_name: 'Ada', last_name: 'L', username: 'ada', language_code: 'en' }),
      {
        type: 'users_imported',
        data: { items: [{ user_id: 42, date_create: 7, person: { full_name: 'A' }, ...fields }] },
      },
      { type: 'user_erased', data: { user_id: 42 } },
    ];
    const rowAfter = async (more: LedgerEvent[]) => {
      const steps = [...events, ...more].map((event) => ({
        partition: 'bot-a' as const,
        stream: 'intake-a',
        wait: 1000,
        event,
      }));
      return (await rows([partitionsOf(steps).get('bot-a')!]))[0];
    };
    const kept = {
      user_id: 42,
      is_premium: true,
      user_status: 'active',
      date_create: 7,
      date_last_active: EPOCH,
      addition_fields: { start_param: 'source-ads', utm_source: 'ads' },
    };
    const none = { first_name: null, last_name: null, full_name: null, username: null, language_code: null };
    const gone = { ...none, gender: null, timezone: null, custom_fields: {} };
    expect(await rowAfter([])).toMatchObject({ ...kept, ...gone });
    expect(await rowAfter([{ type: 'user_erased', data: { user_id: 99 } }])).toMatchObject({ ...kept, ...gone });
    const later = await rowAfter([
      update(2, { first_name: 'Eve' }),
      { type: 'users_imported', data: { items: [{ user_id: 42, custom_fields: { city: 'Bath' } }] } },
    ]);
    expect(later).toMatchObject({
      ...kept,
      ...gone,
      first_name: 'Eve',
      full_name: 'Eve',
      custom_fields: { city: 'Bath' },
    });
  });
});
