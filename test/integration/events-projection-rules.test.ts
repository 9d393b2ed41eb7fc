import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LedgerEvent } from '../../src/domain/events.ts';
import type { CustomEventItem, TargetEventItem, UpdateItem } from '../../src/domain/intake/events.ts';
import { SYSTEM_EVENTS } from '../../src/domain/intake/system-events.ts';
import { eventsReadModel } from '../../src/projections/events/read-model.ts';
import type { EventRow } from '../support/intake-fold.ts';
import { DAY, EPOCH, HOUR, lanesOf, MINUTE, type Step } from '../support/intake-logs.ts';
import { pictureOf } from '../support/intake-picture.ts';
import { createTestProjection, type TestProjection } from '../support/test-projection.ts';

/** The rules of decisions.md, section 3, one by one. Bot a belongs to owner 1, whose currency is USD. */

let projection: TestProjection;

beforeAll(async () => {
  projection = await createTestProjection(eventsReadModel);
});
afterAll(() => projection.drop());

const USER = 42;

/** What happens in the intake of bot a, `wait` ms after what happened before. */
function intake(event: LedgerEvent, wait = 0): Step {
  return { lane: 'bot-a', stream: 'intake-a', wait, event };
}

const custom = (fields: Partial<CustomEventItem>, wait = 0): Step =>
  intake({ type: 'custom_events_received', data: { items: [{ event_id: 101, user_id: USER, ...fields }] } }, wait);
const target = (fields: Partial<TargetEventItem>): Step =>
  intake({ type: 'target_events_received', data: { items: [{ event_id: 100, user_id: USER, ...fields }] } });
let updateId = 0;
const update = (fields: Partial<UpdateItem>, wait = 0): Step => {
  const flags = { makes_user: true, is_bot: false, is_premium: false, chat_type: 'private' as const };
  const item = { update_id: ++updateId, user_id: USER, ...flags, event_id: SYSTEM_EVENTS.message, ...fields };
  return intake({ type: 'updates_received', data: { items: [item] } }, wait);
};
const start = (start_param: string, date: number): Step =>
  update({ event_id: SYSTEM_EVENTS.start, command: '/start', start_param, date });
const known = intake({ type: 'users_imported', data: { items: [{ user_id: USER }] } });
const fx = (from: string, rate: string, date: string, wait = 0, to = 'USD'): Step => {
  return { lane: 'fx-global', wait, event: { type: 'exchange_rate_set', data: { from, to, rate, date } } };
};
const ownersCurrency = (currency: string, wait: number): Step => {
  return { lane: 'owner-1', wait, event: { type: 'owner_changed', data: { currency } } };
};
const unit = (code: string, scale: number, wait = 0): Step => {
  return { lane: 'bot-a', wait, event: { type: 'unit_created', data: { unit_id: 1, code, name: null, scale } } };
};

/** Events and errors after the steps, each batch one commit. */
async function outcomeOf(...steps: Step[]): Promise<{ events: EventRow[]; errors: object[]; types: object[] }> {
  const commits = [...lanesOf(steps).values()].flat();
  const picture = await projection.project(
    commits.map((commit) => [commit]),
    pictureOf,
  );
  return {
    ...picture,
    events: picture.events.toSorted((a, b) => a.date - b.date),
    errors: [...picture.errors],
    types: [...picture.types],
  };
}

/** What the errors after the steps say was sent. */
async function payloadsAfter(...steps: Step[]): Promise<object[]> {
  const commits = [...lanesOf(steps).values()].flat();
  return projection.project([commits], async (tx) => {
    const { rows } = await tx.query<{ payload: object }>('SELECT payload FROM bot_errors ORDER BY source');
    return rows.map(({ payload }) => payload);
  });
}

/** Which of the events, in the order of their dates, share a session: the same letter. */
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

  it('become one by a late event, named by the earliest', async () => {
    const at = [0, 40, 80, 20, 60].map((minute) => custom({ date: EPOCH + minute * MINUTE }));
    const { events } = await outcomeOf(known, ...at);
    expect(new Set(events.map(({ session }) => session))).toEqual(new Set([events[0]!.id]));
  });

  it('take a new name from a late event before them', async () => {
    const { events } = await outcomeOf(known, custom({ date: EPOCH + 10 * MINUTE }), custom({ date: EPOCH }));
    expect(events.map(({ session }) => session)).toEqual([events[0]!.id, events[0]!.id]);
  });

  it('of a mini app see only its own events', async () => {
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

  it('is that of the last visit not later than the event, the same millisecond included', async () => {
    const { events } = await outcomeOf(
      custom({ date: EPOCH }),
      start('source-a', EPOCH + 10),
      custom({ date: EPOCH + 10 }),
      start('source-b', EPOCH + 20),
      custom({ date: EPOCH + 15 }),
    );
    expect(events.map(source)).toEqual([undefined, 'a', 'a', 'a', 'b']);
  });

  it('changes for later events when a visit comes late', async () => {
    const { events } = await outcomeOf(
      start('source-a', EPOCH),
      custom({ date: EPOCH + 10 }),
      start('source-c', EPOCH + 20),
      start('source-b', EPOCH + 5),
    );
    expect(events.map(source)).toEqual(['a', 'b', 'b', 'c']);
  });

  it('is read with the separators of the moment', async () => {
    const data = { pair_separator: ',', value_separator: '=' };
    const changed: Step = { lane: 'bot-a', wait: 0, event: { type: 'bot_changed', data } };
    const { events } = await outcomeOf(
      start('source-a_medium-b', EPOCH),
      changed,
      start('source=c,medium=d', EPOCH + 1),
    );
    expect(events.map(({ utm }) => utm)).toEqual(['a|b|||', 'c|d|||']);
  });
});

describe('amounts', () => {
  const worth = ({ value_int, value_amount }: EventRow) => [value_int, value_amount];

  it('of custom events are sent in minor units, by ISO 4217', async () => {
    const { events } = await outcomeOf(
      known,
      ...['USD', 'JPY', 'BHD', 'XTR'].map((code) => fx(code, '1', '2023-01-01')),
      ...['USD', 'JPY', 'BHD', 'XTR'].map((code, i) => custom({ date: EPOCH + i, value: '1050', unit: code })),
      custom({ date: EPOCH + 9, value: '1050.5' }),
    );
    expect(events.map(worth)).toEqual([
      ['1050', '10.5'],
      ['1050', '1050'],
      ['1050', '1.05'],
      ['1050', '1050'],
      ['1050.5', '1050.5'],
    ]);
  });

  it('of target events are sent in normal units', async () => {
    const { events } = await outcomeOf(known, target({ value: '10.5', unit: 'USD' }));
    expect(events.map(worth)).toEqual([['1050', '10.5']]);
  });

  it('of payments are in minor units', async () => {
    const { events } = await outcomeOf(update({ event_id: SYSTEM_EVENTS.payment, value: '1050', unit: 'USD' }));
    expect(events.map(worth)).toEqual([['1050', '10.5']]);
  });

  it('go by a unit of the bot that has a currency’s code from its place in the log on, but payments never do', async () => {
    const pay = (date: number) => update({ event_id: SYSTEM_EVENTS.payment, value: '500', unit: 'USD', date });
    const { events, errors } = await outcomeOf(
      known,
      custom({ date: EPOCH, value: '500', unit: 'USD' }),
      unit('USD', 3),
      custom({ date: EPOCH + 1, value: '500', unit: 'USD' }),
      target({ date: EPOCH + 2, value: '5', unit: 'USD' }),
      pay(EPOCH + 1000),
    );
    expect(events.map(worth)).toEqual([
      ['500', '5'],
      ['500', '0.5'],
      ['5000', '5'],
      ['500', '5'],
    ]);
    expect(errors).toEqual([]);
  });

  it('of an unknown unit keep the value as it was sent', async () => {
    const sent = [
      custom({ date: EPOCH, value: '5.5', unit: 'TOK' }),
      target({ date: EPOCH + 1, value: '19.99', unit: 'TOK', event_key: 'order-7' }),
    ];
    const { events, errors } = await outcomeOf(known, ...sent);
    expect(events.map(worth)).toEqual([
      ['5.5', null],
      ['19.99', null],
    ]);
    const message = 'Unit TOK is neither a unit of the bot nor a currency';
    expect(errors).toMatchObject([
      { kind: 'warning', message, source: 'send-event', resolved_at: null },
      { kind: 'warning', message, source: 'send-target', resolved_at: null },
    ]);
    expect(await payloadsAfter(known, ...sent)).toMatchObject([
      { value_num: 5.5, unit: 'TOK' },
      { value: 19.99, unit: 'TOK', event_key: 'order-7' },
    ]);
  });

  it('follow a unit that is created later, which resolves the warning', async () => {
    const sent = [
      known,
      custom({ date: EPOCH, value: '5', unit: 'TOK' }),
      target({ date: EPOCH + 1, value: '19.99', unit: 'TOK', event_key: 'order-7' }),
    ];
    const lacksRate = await outcomeOf(...sent, unit('TOK', 2, HOUR));
    expect(lacksRate.events.map(worth)).toEqual([
      ['5', null],
      ['1999', null],
    ]);
    const rate = { kind: 'warning', message: 'No exchange rate for TOK on 2024-01-01', resolved_at: null };
    expect(lacksRate.errors).toMatchObject([rate, rate]);

    const steps = [...sent, unit('TOK', 2, HOUR), fx('TOK', '3', '2023-01-01')];
    const { events, errors } = await outcomeOf(...steps);
    expect(events.map(worth)).toEqual([
      ['5', '0.15'],
      ['1999', '59.97'],
    ]);
    const message = 'Unit TOK is neither a unit of the bot nor a currency';
    const resolved = { kind: 'warning', message, date: EPOCH, resolved_at: EPOCH + HOUR };
    expect(errors).toMatchObject([resolved, resolved]);
    expect(await payloadsAfter(...steps)).toMatchObject([{ value_num: 5 }, { value: 19.99, event_key: 'order-7' }]);
  });

  it('of an event that waited for its user go by a unit that came meanwhile', async () => {
    const { events } = await outcomeOf(
      target({ date: EPOCH, value: '19.99', unit: 'TOK' }),
      unit('TOK', 2, HOUR),
      fx('TOK', '3', '2023-01-01'),
      update({}, HOUR),
    );
    expect(events.map(worth)[0]).toEqual(['1999', '59.97']);
  });

  it('take the rate of the latest day not after the event’s, rounded half away from zero', async () => {
    const { events } = await outcomeOf(
      known,
      fx('EUR', '1.00000050', '2024-01-01'),
      fx('EUR', '3', '2024-01-03'),
      custom({ date: EPOCH, value: '100', unit: 'EUR' }),
      custom({ date: EPOCH + 2 * DAY - 1, value: '-100', unit: 'EUR' }),
      custom({ date: EPOCH + 2 * DAY, value: '100', unit: 'EUR' }),
    );
    expect(events.map(({ value_amount }) => value_amount)).toEqual(['1.000001', '-1.000001', '3']);
  });

  it('follow a rate that is set later, which resolves the warning', async () => {
    const event = custom({ date: EPOCH, value: '100', unit: 'EUR' }, HOUR);
    const missing = await outcomeOf(
      known,
      event,
      fx('EUR', '2', '2024-01-02', 2 * HOUR),
      fx('EUR', '2', '2024-01-01', 0, 'GBP'),
    );
    const error = { kind: 'warning', message: 'No exchange rate for EUR on 2024-01-01', date: EPOCH + HOUR };
    expect(missing.events.map(worth)).toEqual([['100', null]]);
    expect(missing.errors).toMatchObject([{ ...error, resolved_at: null }]);

    const set = await outcomeOf(known, event, fx('EUR', '2', '2023-12-31', 3 * HOUR));
    expect(set.events.map(worth)).toEqual([['100', '2']]);
    expect(set.errors).toMatchObject([{ ...error, resolved_at: EPOCH + 3 * HOUR }]);
  });

  it('have no warning for a rate that was in the log before, however the lanes met', async () => {
    const { events, errors } = await outcomeOf(
      known,
      custom({ date: EPOCH, value: '100', unit: 'EUR' }, HOUR),
      fx('EUR', '2', '2024-01-01', HOUR),
    );
    expect(events.map(worth)).toEqual([['100', '2']]);
    expect(errors).toEqual([]);
  });

  it('follow the owner’s currency', async () => {
    const event = custom({ date: EPOCH, value: '100', unit: 'USD' });
    const changed = await outcomeOf(known, event, ownersCurrency('EUR', HOUR));
    expect(changed.events.map(worth)).toEqual([['100', null]]);
    expect(changed.errors).toMatchObject([{ kind: 'warning', date: EPOCH + HOUR, resolved_at: null }]);
    const back = await outcomeOf(known, event, ownersCurrency('EUR', HOUR), ownersCurrency('USD', HOUR));
    expect(back.events.map(worth)).toEqual([['100', '1']]);
    expect(back.errors).toMatchObject([{ kind: 'warning', date: EPOCH + HOUR, resolved_at: EPOCH + 2 * HOUR }]);
  });
});

describe('unknown users', () => {
  it('have no events, but errors', async () => {
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

  it('leave in the error what was sent', async () => {
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

  it('do not when they appear later', async () => {
    const { events, errors } = await outcomeOf(custom({}), update({}, DAY + 1));
    expect(events).toMatchObject([{ event_id: SYSTEM_EVENTS.message }]);
    expect(errors).toMatchObject([{ kind: 'unknown_user', resolved_at: null }]);
  });

  it('make nothing in groups, not even an error', async () => {
    const group = { makes_user: false, chat_type: 'group' as const, date: EPOCH };
    expect(await outcomeOf(update(group))).toMatchObject({ events: [], errors: [] });
    const { events } = await outcomeOf(known, update(group));
    expect(events).toMatchObject([{ event_id: SYSTEM_EVENTS.message, properties: { chat_type: 'group' } }]);
  });
});

describe('repeats', () => {
  it('of an event key count once for ever, also where the first was of an unknown user', async () => {
    const event = custom({ date: EPOCH, event_key: 'order-1' });
    const later = custom({ date: EPOCH, event_key: 'order-1' }, 400 * DAY);
    expect((await outcomeOf(known, event, event, later)).events).toHaveLength(1);
    expect((await outcomeOf(event, update({}, DAY + 1), later)).events).toMatchObject([
      { event_id: SYSTEM_EVENTS.message },
    ]);
  });

  it('of an update are harmless for 7 days', async () => {
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
  it('leaves nothing behind, in memory neither', async () => {
    const at = (minute: number) => custom({ date: EPOCH + minute * MINUTE });
    const log = lanesOf([known, at(0), at(20), at(40)]).get('bot-a')!;
    const [lost, kept] = log.slice(-2);
    const events = await projection.project([log.slice(0, -2)], async (tx) => {
      await tx.query('SAVEPOINT batch');
      await eventsReadModel.apply(tx, [lost!]);
      await tx.query('ROLLBACK TO batch');
      await eventsReadModel.apply(tx, [kept!]);
      return (await pictureOf(tx)).events;
    });
    expect(letters(events.map(({ session }) => session))).toBe('ab');
  });
});
