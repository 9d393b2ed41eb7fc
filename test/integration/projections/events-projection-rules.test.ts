import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import type { LedgerEvent } from '../../../src/domain/ledger-events.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import { eventsSnapshot } from '../../support/events-snapshot.ts';
import type { EventRow } from '../../support/intake-fold.ts';
import { cut, DAY, EPOCH, HOUR, MINUTE, partitionsOf, type Step } from '../../support/intake-logs.ts';
import {
  custom,
  known,
  outcomeOf as outcome,
  payloadsAfter as payloads,
  start,
  target,
  USER,
  update,
} from '../../support/intake-steps.ts';
import { createTestProjection, type TestProjection } from '../../support/test-projection.ts';

/** The rules of decisions.md#intake, one by one. */

let projection: TestProjection;

beforeAll(async () => {
  projection = await createTestProjection(eventsReadModel);
});
afterAll(() => projection.drop());

const outcomeOf = (...steps: Step[]) => outcome(projection, ...steps);
const payloadsAfter = (...steps: Step[]) => payloads(projection, ...steps);

/** The sessions of the events, in the order of their dates: events of one session have the same letter. */
function letters(ids: readonly (string | null)[]): string {
  const seen = [...new Set(ids)];
  return ids.map((id) => (id === null ? '-' : 'abcdef'[seen.filter((other) => other !== null).indexOf(id)])).join('');
}

describe('sessions', () => {
  it('end when more than 30 minutes pass without an event', async () => {
    const at = [0, 30 * MINUTE, 60 * MINUTE + 1].map((ms) => custom({ date: EPOCH + ms }));
    const { events } = await outcomeOf(known, ...at);
    expect(letters(events.map(({ session }) => session))).toBe('aab');
  });

  it('merge when a late event connects them, named by the earliest event', async () => {
    const at = [0, 40, 80, 20, 60].map((minute) => custom({ date: EPOCH + minute * MINUTE }));
    const { events } = await outcomeOf(known, ...at);
    expect(new Set(events.map(({ session }) => session))).toEqual(new Set([events[0]!.id]));
  });

  it('are renamed after a late event before them', async () => {
    const { events } = await outcomeOf(known, custom({ date: EPOCH + 10 * MINUTE }), custom({ date: EPOCH }));
    expect(events.map(({ session }) => session)).toEqual([events[0]!.id, events[0]!.id]);
  });

  it('of a mini app have only its own events', async () => {
    const at = [0, 20, 40].map((minute) => minute * MINUTE + EPOCH);
    const { events } = await outcomeOf(
      known,
      custom({ date: at[0]!, webapp_name: 'shop' }),
      custom({ date: at[1]! }),
      custom({ date: at[2]!, webapp_name: 'shop' }),
    );
    expect(letters(events.map(({ session }) => session))).toBe('aaa');
    expect(letters(events.map(({ app_session }) => app_session))).toBe('a-b');
  });
});

describe('UTM', () => {
  const source = ({ utm }: EventRow) => utm?.split('|')[0];

  it('is that of the last visit not later than the event, also in the same millisecond', async () => {
    const { events } = await outcomeOf(
      custom({ date: EPOCH }),
      start('source-a', EPOCH + 10),
      custom({ date: EPOCH + 10 }),
      start('source-b', EPOCH + 20),
      custom({ date: EPOCH + 15 }),
    );
    expect(events.map(source)).toEqual([undefined, 'a', 'a', 'a', 'b']);
  });

  it('changes for later events when a visit is late', async () => {
    const { events } = await outcomeOf(
      start('source-a', EPOCH),
      custom({ date: EPOCH + 10 }),
      start('source-c', EPOCH + 20),
      start('source-b', EPOCH + 5),
    );
    expect(events.map(source)).toEqual(['a', 'b', 'b', 'c']);
  });

  it('is read with the separators at the visit’s place in the log', async () => {
    const data = { pair_separator: ',', value_separator: '=' };
    const changed: Step = { partition: 'bot-a', wait: 0, event: { type: 'bot_changed', data } };
    const { events } = await outcomeOf(
      start('source-a_medium-b', EPOCH),
      changed,
      start('source=c,medium=d', EPOCH + 1),
    );
    expect(events.map(({ utm }) => utm)).toEqual(['a|b|||', 'c|d|||']);
  });
});

const codes: LedgerEvent[] = [
  { type: 'referral_code_created', data: { code: 'made', user_id: 1 } },
  { type: 'referral_code_owners_set', data: { elements: ['owned', 'source-b'].map((code) => ({ code, user_id: 1 })) } },
  { type: 'referral_marked', data: { referral_user_id: 1, code: null, referrer_id: 2, new_code: 'given' } },
];

it.each([1, 100])('a visit by a referral code has no source, unless it has pairs: batches of %i', async (size) => {
  const made = codes.map((event): Step => ({ partition: 'bot-a', stream: 'referral-a', wait: 0, event }));
  const after = ['owned', 'made', 'given', 'source-b', 'made', 'other'];
  const steps = [start('owned', EPOCH), ...made, ...after.map((code, i) => start(code, EPOCH + i + 1))];
  const commits = [...partitionsOf(steps).values()].flat();
  const { events } = await projection.project(cut(commits, [size]), eventsSnapshot);
  const sources = events.toSorted((a, b) => a.date - b.date).map(({ utm }) => utm?.split('|')[0]);
  // A visit without a source leaves that of the visit before it.
  expect(sources).toEqual(['owned', 'owned', 'owned', 'owned', 'b', 'b', 'other']);
});

describe('unknown users', () => {
  it('have errors instead of events', async () => {
    const { events, errors } = await outcomeOf(custom({}, 5), target({}));
    expect(events).toEqual([]);
    const error = {
      kind: 'unknown_user',
      message: 'User with id 42 was not found',
      date: EPOCH + 5,
      resolved_at: null,
    };
    expect(errors).toMatchObject([
      { ...error, source: 'send-event' },
      { ...error, source: 'send-target' },
    ]);
  });

  it('have the element as sent in their error', async () => {
    const sent = { value: '1050', unit: 'JPY', value_str: 'x', category: 'c', webapp_name: 'w' };
    const payloads = await payloadsAfter(custom({ date: EPOCH, ...sent }), target({ value: '10.5', unit: 'EUR' }));
    const { value, ...others } = sent;
    const date = '2024-01-01T00:00:00.000Z';
    expect(payloads).toEqual([
      { event: 'Click', user_id: USER, date, value_num: 1050, ...others },
      { target_id: 1, user_id: USER, date, value: 10.5, unit: 'EUR' },
    ]);
  });

  it('get their events, under the events’ own dates, when they appear within 24 hours', async () => {
    const { events, errors, types } = await outcomeOf(custom({ date: EPOCH - 3 * DAY }), update({}, DAY));
    expect(events).toMatchObject([
      { event_id: 101, date: EPOCH - 3 * DAY, received: EPOCH },
      { event_id: SYSTEM_EVENTS.message, date: EPOCH + DAY },
    ]);
    expect(errors).toMatchObject([{ kind: 'unknown_user', resolved_at: EPOCH + DAY }]);
    expect(types).toContainEqual({
      bot_id: 1,
      event_id: 101,
      kind: 'custom',
      name: 'Click',
      target_id: null,
      first_seen: EPOCH - 3 * DAY,
      last_seen: EPOCH - 3 * DAY,
      count: 1,
    });
  });

  it('do not get their events when they appear later', async () => {
    const { events, errors } = await outcomeOf(custom({}), update({}, DAY + 1));
    expect(events).toMatchObject([{ event_id: SYSTEM_EVENTS.message }]);
    expect(errors).toMatchObject([{ kind: 'unknown_user', resolved_at: null }]);
  });

  it('have no effect in groups, not even an error', async () => {
    const group = { makes_user: false, chat_type: 'group' as const, date: EPOCH };
    expect(await outcomeOf(update(group))).toMatchObject({ events: [], errors: [] });
    const { events } = await outcomeOf(known, update(group));
    expect(events).toMatchObject([{ event_id: SYSTEM_EVENTS.message, properties: { chat_type: 'group' } }]);
  });
});

describe('repeats', () => {
  it('of an event key count once forever, also if the first was of an unknown user', async () => {
    const event = custom({ date: EPOCH, event_key: 'order-1' });
    const later = custom({ date: EPOCH, event_key: 'order-1' }, 400 * DAY);
    expect((await outcomeOf(known, event, event, later)).events).toHaveLength(1);
    expect((await outcomeOf(event, update({}, DAY + 1), later)).events).toMatchObject([
      { event_id: SYSTEM_EVENTS.message },
    ]);
  });

  it('of an update have no effect for 7 days', async () => {
    const again = (wait: number) => update({ update_id: 7_000_000 }, wait);
    expect((await outcomeOf(again(0), again(7 * DAY))).events).toHaveLength(1);
    expect((await outcomeOf(again(0), again(7 * DAY + 1))).events).toHaveLength(2);
  });
});

describe('errors', () => {
  it('are kept for 90 days', async () => {
    expect((await outcomeOf(custom({}), custom({}, 90 * DAY))).errors).toHaveLength(2);
    expect((await outcomeOf(custom({}), custom({}, 90 * DAY + HOUR))).errors).toHaveLength(1);
  });
});

describe('a batch that is rolled back', () => {
  it('leaves nothing behind, not even in memory', async () => {
    const at = (minute: number) => custom({ date: EPOCH + minute * MINUTE });
    const log = partitionsOf([known, at(0), at(20), at(40)]).get('bot-a')!;
    const [lost, kept] = log.slice(-2);
    const events = await projection.project([log.slice(0, -2)], async (tx) => {
      await tx.query('SAVEPOINT batch');
      await eventsReadModel.apply(tx, [lost!]);
      await tx.query('ROLLBACK TO batch');
      await eventsReadModel.apply(tx, [kept!]);
      return (await eventsSnapshot(tx)).events;
    });
    expect(letters(events.map(({ session }) => session))).toBe('ab');
  });
});

describe('custom properties', () => {
  it('are in the rows as they were sent, with all digits', async () => {
    const properties = { plan: 'pro', price: { number: '0.12345678901234567890123456789' }, gift: true };
    const { rows } = await projection.project(
      [[...partitionsOf([known, custom({ properties })]).values()].flat()],
      (tx) => tx.query<{ properties: string }>('SELECT properties::text FROM events'),
    );
    expect(rows).toEqual([{ properties: '{"gift": true, "plan": "pro", "price": 0.12345678901234567890123456789}' }]);
  });

  it('of a bot have at most 1,000 names: an event with more of them counts, without these, and is a bot error', async () => {
    const all = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${from + i}`, { number: '1' }]));
    const first = Array.from({ length: 20 }, (_, i) =>
      custom({ properties: all(50 * i, 50), user_id: i === 0 ? 7 : USER }),
    );
    const last = custom({ properties: { ...all(999, 3), p7: 'seven' }, date: EPOCH + DAY });
    const later = target({ properties: all(1001, 1), date: EPOCH + 2 * DAY });
    const otherBot: Step = { ...custom({ properties: all(2000, 1) }), partition: 'bot-b', stream: 'intake-b' };
    const steps = [known, ...first, last, later, otherBot];
    const { events, errors, properties } = await outcomeOf(...steps);
    expect(events.slice(-2).map(({ properties }) => properties)).toEqual([{ p999: 1, p7: 'seven' }, null]);
    // The names of an event that does not count take their places, too.
    const beyond = (names: string) => `The bot has 1000 names of properties already; left out: ${names}`;
    const limited = errors.filter((error) => 'kind' in error && error.kind === 'property_limit');
    expect(limited).toMatchObject([
      { source: 'send-event', message: beyond('p1000, p1001') },
      { source: 'send-target', message: beyond('p1001') },
    ]);
    const names = properties.filter((row) => 'bot_id' in row && row.bot_id === 1);
    expect(names).toHaveLength(1000);
    expect(names).toContainEqual({ bot_id: 1, name: 'p7', types: 1 });
    expect(names).toContainEqual({ bot_id: 1, name: 'p8', types: 0 });
    expect(names).toContainEqual({ bot_id: 1, name: 'p999', types: 2 });
    const sent = (await payloadsAfter(...steps)).map((payload) =>
      'properties' in payload ? payload.properties : null,
    );
    expect(sent).toContainEqual({ p999: 1, p1000: 1, p1001: 1, p7: 'seven' });
  });

  it('wait with their event for its user, and are in its bot error', async () => {
    const waits = custom({ properties: { plan: 'pro' } });
    const { events, properties } = await outcomeOf(waits, known);
    expect(events.map((event) => event.properties)).toEqual([{ plan: 'pro' }]);
    expect(properties).toEqual([{ bot_id: 1, name: 'plan', types: 1 }]);
    expect(await payloadsAfter(waits, known)).toMatchObject([{ event: 'Click', properties: { plan: 'pro' } }]);
  });
});
