import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CustomEventItem } from '../../../src/domain/intake/intake-events.ts';
import type { LedgerEvent } from '../../../src/domain/ledger-events.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import type { ReadCommit } from '../../../src/projections/read-model.ts';
import { DAY, EPOCH, partitionsOf, type Step } from '../../support/intake-logs.ts';
import { createTestProjection, type TestProjection } from '../../support/test-projection.ts';

/** The rows of the read model `events` that the referral program reads. Bot a belongs to owner 1, whose currency is USD. */

let projection: TestProjection;

beforeAll(async () => {
  projection = await createTestProjection(eventsReadModel);
});
afterAll(() => projection.drop());

const USER = 42;
const step = (stream: string, event: LedgerEvent, wait = 0): Step => ({ partition: 'bot-a', stream, wait, event });
const custom = (...items: Partial<CustomEventItem>[]): Step =>
  step('intake-a', {
    type: 'custom_events_received',
    data: { items: items.map((item) => ({ event_id: 101, user_id: USER, ...item })) },
  });
const known = step('intake-a', { type: 'users_imported', data: { items: [{ user_id: USER }] } });
const rule = (rule_id: number, trigger_event_id: number, name = 'Sale'): Step =>
  step('program-a', {
    type: 'reward_rule_created',
    data: {
      ...{ rule_id, name, trigger_event_id, reward_type: 'fixed', amount: '1', percent: null, unit_id: null },
      ...{ hold_days: '0', active: true },
    },
  });
const renamed = (rule_id: number, name: string): Step =>
  step('program-a', { type: 'reward_rule_changed', data: { rule_id, name } });

const commitsOf = (steps: readonly Step[]): ReadCommit[] => [...partitionsOf(steps).values()].flat();
/** The commits of bot a, which the steps are about. */
const ofBot = (steps: readonly Step[]): ReadCommit[] => partitionsOf(steps).get('bot-a')!;

interface Rewardable {
  readonly commit_id: string;
  readonly idx: number;
  readonly event_id: number;
  readonly value: string | null;
  readonly unit: string | null;
  readonly position: string;
}

/** The table after the steps, in the order in which it is read; the same for every cut into batches. */
async function rewardable(...steps: Step[]): Promise<Rewardable[]> {
  const commits = commitsOf(steps);
  const read = (batches: readonly (readonly ReadCommit[])[]) =>
    projection.project(batches, async (tx) => {
      const { rows } = await tx.query<Rewardable>(
        `SELECT commit_id, idx, event_id, value::text, unit, position FROM rewardable_events
          WHERE lane = 0 ORDER BY position, bot_id, ord`,
      );
      return rows;
    });
  const one = await read(commits.map((commit) => [commit]));
  expect(await read([commits])).toEqual(one);
  return one;
}

it('are the events that trigger a rule created before them', async () => {
  const rows = await rewardable(
    known,
    custom({ value: '1' }),
    rule(1, 101),
    custom({ value: '1050', unit: 'USD' }, { event_id: 102 }, { value: '7' }),
    rule(2, 102),
    custom({ event_id: 102, value: '5', unit: 'NOP' }),
  );
  expect(rows).toMatchObject([
    { event_id: 101, idx: 0, value: '10.5', unit: 'USD' },
    { event_id: 101, idx: 2, value: '7', unit: null },
    { event_id: 102, idx: 0, value: null, unit: 'NOP' },
  ]);
});

it('an event that waits for its user has the value by the units when the user appears', async () => {
  const unit: LedgerEvent = { type: 'unit_created', data: { unit_id: 1, code: 'TOK', name: null, scale: 2 } };
  const rows = await rewardable(rule(1, 101), custom({ value: '1050', unit: 'TOK' }), step('bot-a', unit), known);
  expect(rows).toMatchObject([{ value: '10.5', unit: 'TOK' }]);
});

it('an event that waits for its user has the position where the user appears, and an event key counts once', async () => {
  const steps = [rule(1, 101), custom({ event_key: 'k' }), custom({ event_key: 'k' }), known, custom({})];
  const rows = await rewardable(...steps);
  const [waiting, , appears, last] = ofBot(steps).slice(-4);
  expect(rows).toMatchObject([
    { commit_id: waiting!.id, position: appears!.position },
    { commit_id: last!.id, position: last!.position },
  ]);
});

it('events of users who never appear, or appear too late, are left out', async () => {
  const late = { ...known, wait: DAY + 1 };
  expect(await rewardable(rule(1, 101), custom({}), late)).toEqual([]);
});

/** Bot errors after a reward was refused for the last event of the steps. */
async function errorsAfter(reason: 'no_value' | 'unknown_unit' | 'no_rate' | 'not_positive', wait = 0) {
  const steps = [known, rule(7, 101), renamed(7, 'Orders'), custom({ date: EPOCH, value: '5', unit: 'EUR' })];
  const cause = ofBot(steps).at(-1)!;
  const event = { commit_id: cause.id, index: 0, event_id: 101, date: EPOCH, received: cause.at };
  const data = { rule_id: 7, referral_id: USER, event, reason, at: cause.at };
  const refused = step('account-a/9', { type: 'reward_refused', data });
  const all = [...steps, refused, { ...custom({}), wait }];
  return projection.project([commitsOf(all)], async (tx) => {
    const { rows } = await tx.query(
      `SELECT commit_id, idx, kind, source, message, payload FROM bot_errors WHERE message LIKE 'Rule%'`,
    );
    expect(rows.every(({ commit_id }) => ofBot(all).at(-2)!.id === commit_id)).toBe(true);
    return rows.map(({ commit_id: _, ...row }) => row);
  });
}

it('a reward that cannot be converted to its unit is a bot error, which names the rule and shows the event', async () => {
  const error = { idx: 0, kind: 'warning', source: 'send-event', payload: { user_id: USER, unit: 'EUR' } };
  expect(await errorsAfter('no_rate')).toMatchObject([
    { ...error, message: `Rule 7 (Orders): no exchange rate for EUR on ${new Date(EPOCH).toISOString().slice(0, 10)}` },
  ]);
  expect(await errorsAfter('unknown_unit')).toMatchObject([
    { ...error, message: 'Rule 7 (Orders): unit EUR is neither a unit of the bot nor a currency' },
  ]);
});

it('a refusal that the rule intends is no error, and an old error is deleted', async () => {
  expect(await errorsAfter('no_value')).toEqual([]);
  expect(await errorsAfter('not_positive')).toEqual([]);
  expect(await errorsAfter('no_rate', 91 * DAY)).toEqual([]);
});

it('are none of the imported events, whatever they trigger', async () => {
  const items = [{ event_id: 101, user_id: USER, date: EPOCH, value: '1' }];
  const imported: LedgerEvent = { type: 'events_imported', data: { items, line: 1, refused: 0, finished: true } };
  const rows = await rewardable(known, rule(1, 101), step('import-a/file', imported), custom({ value: '2' }));
  expect(rows).toMatchObject([{ event_id: 101, value: '2' }]);
});
