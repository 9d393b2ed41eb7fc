import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import { eventsReadModel } from '../../../src/projections/events/read-model.ts';
import type { EventRow } from '../../support/intake-fold.ts';
import { DAY, EPOCH, HOUR, type Step } from '../../support/intake-logs.ts';
import {
  custom,
  fx,
  known,
  outcomeOf as outcome,
  ownersCurrency,
  payloadsAfter as payloads,
  target,
  unit,
  update,
} from '../../support/intake-steps.ts';
import { createTestProjection, type TestProjection } from '../../support/test-projection.ts';

/** Values, amounts and their warnings (decisions.md#event-values). */

let projection: TestProjection;

beforeAll(async () => {
  projection = await createTestProjection(eventsReadModel);
});
afterAll(() => projection.drop());

const outcomeOf = (...steps: Step[]) => outcome(projection, ...steps);
const payloadsAfter = (...steps: Step[]) => payloads(projection, ...steps);

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

  it('use a unit of the bot with a currency’s code from its creation on, but payments never do', async () => {
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

  it('of an unknown unit keep the value as sent', async () => {
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

  it('of an event that waited for its user use a unit that was created during the wait', async () => {
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

  it('have no warning for a rate that was in the log before, for every interleaving of the partitions', async () => {
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
