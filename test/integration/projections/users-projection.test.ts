import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UpdateItem } from '../../../src/domain/intake/intake-events.ts';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import type { LedgerEvent } from '../../../src/domain/ledger-events.ts';
import type { ReadCommit } from '../../../src/projections/read-model.ts';
import { usersReadModel } from '../../../src/projections/users/read-model.ts';
import { foldIntake } from '../../support/intake-fold.ts';
import { cut, DAY, EPOCH, partitionsOf, step } from '../../support/intake-logs.ts';
import { createTestProjection, type TestProjection } from '../../support/test-projection.ts';

let projection: TestProjection;

beforeAll(async () => {
  projection = await createTestProjection(usersReadModel);
});
afterAll(() => projection.drop());

type Row = Readonly<Record<string, unknown>>;

function project(batches: readonly (readonly ReadCommit[])[]): Promise<{ users: Row[]; update_ids: Row[] }> {
  return projection.project(batches, async (tx) => {
    const rows = async (table: string, order: string) =>
      (await tx.query<{ row: Row }>(`SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY bot_id, ${order}`)).rows.map(
        ({ row }) => row,
      );
    return { users: await rows('users', 'user_id'), update_ids: await rows('update_ids', 'update_id') };
  });
}

/** The users after the given events of bot a's intake, each received a second after the one before. */
async function users(...events: LedgerEvent[]): Promise<Row[]> {
  const steps = events.map((event) => ({ partition: 'bot-a' as const, stream: 'intake-a', wait: 1000, event }));
  return (await project([partitionsOf(steps).get('bot-a')!])).users;
}

const item: UpdateItem = {
  update_id: 1,
  user_id: 42,
  date: EPOCH,
  makes_user: true,
  is_bot: false,
  is_premium: true,
  person: { first_name: 'Ada', username: 'ada', language_code: 'en' },
  chat_type: 'private',
  event_id: SYSTEM_EVENTS.message,
};
const updates = (...items: Partial<UpdateItem>[]): LedgerEvent => ({
  type: 'updates_received',
  data: { items: items.map((fields) => ({ ...item, ...fields })) },
});

describe('the read model `users`', () => {
  it('is the same however the log is cut, and knows the users that `events` knows', async () => {
    const log = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' });
    const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(log, sizes, async (steps, sizes) => {
        const commits = [...partitionsOf(steps).values()].flat();
        const whole = await project([commits]);
        expect(await project(cut(commits, sizes))).toEqual(whole);
        const known = foldIntake(commits).users.map((user) => user as { bot_id: number; user_id: number });
        expect(whole.users.map(({ bot_id, user_id }) => `${bot_id} ${user_id}`)).toEqual(
          known.map(({ bot_id, user_id }) => `${bot_id} ${user_id}`).sort(),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('takes names, flags, activity and the first visit from updates', async () => {
    const visit = {
      event_id: SYSTEM_EVENTS.start,
      start_param: 'source-ads_medium-cpc',
      date: EPOCH + 1000,
      update_id: 2,
    };
    expect(await users(updates({}, visit))).toMatchObject([
      {
        bot_id: 1,
        user_id: 42,
        first_name: 'Ada',
        last_name: null,
        full_name: 'Ada',
        username: 'ada',
        language_code: 'en',
        is_premium: true,
        is_bot: false,
        user_status: 'active',
        date_create: EPOCH,
        date_last_active: EPOCH + 1000,
        custom_fields: {},
        addition_fields: { start_param: 'source-ads_medium-cpc', utm_source: 'ads', utm_medium: 'cpc' },
      },
    ]);
  });

  it('has no source of a first visit by a referral code', async () => {
    const visit: LedgerEvent = updates({ event_id: SYSTEM_EVENTS.start, start_param: 'k7Rt2Wxy' });
    const code: LedgerEvent = { type: 'referral_code_created', data: { code: 'k7Rt2Wxy', user_id: 1 } };
    const after = { start_param: 'k7Rt2Wxy' };
    expect(await users(visit, code)).toMatchObject([{ addition_fields: { ...after, utm_source: 'k7Rt2Wxy' } }]);
    const [user] = await users(code, visit);
    expect(user).toMatchObject({ user_id: 42 });
    expect((user as { addition_fields: object }).addition_fields).toEqual(after);
  });

  it('ignores a repeated update within 7 days', async () => {
    const { date: _, ...callback } = item;
    const again: LedgerEvent = { type: 'updates_received', data: { items: [callback] } };
    expect(await users(again, again)).toMatchObject([{ date_last_active: EPOCH + 1000 }]);
    const late = partitionsOf([
      { partition: 'bot-a', stream: 'intake-a', wait: 0, event: again },
      { partition: 'bot-a', stream: 'intake-a', wait: 7 * DAY + 1, event: again },
    ]);
    expect((await project([late.get('bot-a')!])).users).toMatchObject([{ date_last_active: EPOCH + 7 * DAY + 1 }]);
  });

  it('knows the users of imported events from their first event on, unless an import of users says otherwise', async () => {
    const dates = [EPOCH + 5 * DAY, EPOCH + 2 * DAY, EPOCH + 9 * DAY];
    const items = dates.map((date) => ({ event_id: 101, user_id: 42, date }));
    const past: LedgerEvent = { type: 'events_imported', data: { items, line: 3, refused: 0, finished: true } };
    const span = { date_create: EPOCH + 2 * DAY, date_last_active: EPOCH + 9 * DAY };
    expect(await users(past)).toMatchObject([{ user_id: 42, first_name: null, user_status: 'active', ...span }]);
    expect(await users(updates({ date: EPOCH + 3 * DAY }), past)).toMatchObject([{ first_name: 'Ada', ...span }]);
    const set = { date_create: EPOCH + DAY, date_last_active: EPOCH + 4 * DAY };
    const imported: LedgerEvent = { type: 'users_imported', data: { items: [{ user_id: 42, ...set }] } };
    expect(await users(imported, past)).toMatchObject([set]);
  });

  it('adds no users from groups, but updates known ones there', async () => {
    const group = { makes_user: false, chat_type: 'group' as const };
    expect(await users(updates({ ...group }))).toEqual([]);
    const seen = updates({}, { ...group, update_id: 2, date: EPOCH + 5000, person: { first_name: 'Eve' } });
    expect(await users(seen)).toMatchObject([{ first_name: 'Eve', date_last_active: EPOCH + 5000 }]);
  });

  it('merges custom fields, each with its JSON type and all digits', async () => {
    const import_ = (custom_fields: Record<string, string | boolean | { number: string }>): LedgerEvent => ({
      type: 'users_imported',
      data: { items: [{ user_id: 42, custom_fields }] },
    });
    const events = [
      import_({ a: 'x', b: { number: '1' } }),
      import_({ b: { number: '12345678901234567890.5' }, c: true }),
    ];
    expect(await users(...events)).toMatchObject([{ custom_fields: { a: 'x', c: true }, date_last_active: null }]);
    const commits = partitionsOf(
      events.map((event) => ({ partition: 'bot-a', stream: 'intake-a', wait: 0, event })),
    ).get('bot-a')!;
    const digits = await projection.project(cut(commits, [1]), async (tx) => {
      const { rows } = await tx.query(`SELECT custom_fields ->> 'b' AS b FROM users`);
      return rows;
    });
    expect(digits).toEqual([{ b: '12345678901234567890.5' }]);
  });
});
