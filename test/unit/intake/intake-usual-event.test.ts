import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/api/exact-json.ts';
import { usualCustomEvent } from '../../../src/api/intake/send-event.ts';
import type { EventTypeDirectory } from '../../../src/commands/intake/event-type-directory.ts';
import { receiveCustomEvents, receiveTargetEvents } from '../../../src/commands/intake/receive.ts';
import type { StoredEvent } from '../../../src/domain/event-type.ts';
import { customEvent, targetEvent } from '../../../src/domain/intake/elements.ts';
import { customEventsReceived, targetEventsReceived } from '../../../src/domain/intake/intake-events.ts';
import type { EventLog, NewCommit } from '../../../src/log/port.ts';
import { systemSources } from '../../../src/util/system-sources.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const schema = customEvent(() => NOW);

/** Replaces some values, so that every field is also wrong, null and absent. */
const mostly = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: anything });
const anything = fc.oneof(
  fc.constantFrom(undefined, null, true, '', ' ', '\0', '\ud800', 0, -1, 1.5, 2 ** 53, Number.MIN_VALUE, [], {}),
  fc.constantFrom(249, 250, 251, 500).map((length) => 'é'.repeat(length)),
  fc.constantFrom(125, 126, 250, 251).map((length) => '😀'.repeat(length)),
  fc.jsonValue(),
  // As parsed from a body: numbers that a double does not hold are LosslessNumber.
  fc.constantFrom('12345678901234567890', '1e400', '0.1000000000000000055', '1e15', '-0').map(parsed),
);
const mostlyNames = (usual: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 60, arbitrary: usual },
    { weight: 1, arbitrary: fc.constantFrom('', 'a b', 'category', '__proto__', 'x'.repeat(65)) },
  );
const text = fc.string({ minLength: 1, maxLength: 20, unit: 'binary' });
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(-0, 1e-9));
const date = fc.oneof(
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(NOW) }).map((at) => at.toISOString()),
  fc.constantFrom('2026-01-31T12:00', '2026-02-01T12:00:00Z', '2026-02-01T12:00:00.001Z', '2026-02-30T00:00:00.000Z'),
  fc.constantFrom(
    '0000-01-01T00:00:00+23:59',
    '1969-12-31T23:59:59.999Z',
    '1970-01-01T00:00:00Z',
    '1970-01-01T00:00+00:01',
  ),
);
const properties = fc.dictionary(
  mostlyNames(fc.constantFrom('plan', 'a.b-c_1', '7', 'constructor')),
  fc.oneof({ weight: 60, arbitrary: fc.oneof(text, number, fc.boolean()) }, { weight: 1, arbitrary: anything }),
  { maxKeys: 4 },
);
const element = fc.record(
  {
    event: mostly(text),
    user_id: mostly(fc.integer({ min: 1 })),
    value_num: mostly(number),
    unit: mostly(fc.constantFrom('USD', 'usd', 'ß', 'ı', 'k', 'A-B')),
    value_str: mostly(text),
    category: mostly(text),
    webapp_name: mostly(text),
    date: mostly(date),
    event_key: mostly(text),
    properties: fc.oneof({ weight: 40, arbitrary: properties }, { weight: 1, arbitrary: anything }),
    unknown: anything,
  },
  { requiredKeys: ['event', 'user_id'] },
);

describe('a custom event of the usual form', () => {
  it('is read as the schema reads it, or not at all', () => {
    let usual = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: element }, { weight: 1, arbitrary: anything }), (given) => {
        const read = usualCustomEvent(given, NOW);
        if (read === null) return;
        usual++;
        const parsed = schema.safeParse(given);
        expect(parsed.error).toBeUndefined();
        expect(read).toEqual(parsed.data);
        // The log has the same bytes either way.
        expect(JSON.stringify(read)).toBe(JSON.stringify(parsed.data));
      }),
      { numRuns: 6000 },
    );
    expect(usual).toBeGreaterThan(500);
  });

  it('is read when it has every field', () => {
    const given = {
      event: 'order_paid',
      user_id: 4242,
      value_num: 19.5,
      unit: 'eur',
      value_str: '',
      category: 'books',
      webapp_name: 'shop',
      date: '2026-01-31T11:59:59.5+01:00',
      event_key: 'k1',
      properties: { plan: 'pro', items: 3, gift: true },
    };
    expect(usualCustomEvent(given, NOW)).toMatchObject({
      value_num: '19.5',
      unit: 'EUR',
      value_str: '',
      event_key: 'k1',
      properties: { plan: 'pro', items: { number: '3' }, gift: true },
    });
  });
});

/** The API accepts only elements of the shape of the log's events, so they need no second check. */
describe('elements that the schemas of the API accept', () => {
  it('are appended unchanged, as custom events', async () => {
    const receive = receiveCustomEvents({ log, sources: systemSources, directory });
    await expectTaken(element, schema, (event) => receive('b', event, {}), customEventsReceived);
  });

  it('are appended unchanged, as target events', async () => {
    const target = fc.record(
      {
        target_id: mostly(fc.integer({ min: 1 })),
        user_id: mostly(fc.integer({ min: 1 })),
        date: mostly(fc.oneof(date, fc.constant('2026-01-31T12:00:00.000Z'))),
        value: mostly(number),
        unit: mostly(fc.constantFrom('USD', 'eur')),
        event_key: mostly(text),
        properties: mostly(properties),
      },
      { requiredKeys: ['target_id', 'user_id'] },
    );
    const receive = receiveTargetEvents({ log, sources: systemSources, directory });
    await expectTaken(
      target,
      targetEvent(() => NOW),
      (event) => receive('b', [event], {}),
      targetEventsReceived,
    );
  });
});

let appended: StoredEvent | undefined;
const log = {
  async append({ events }: NewCommit) {
    appended = events[0];
    return { position: '', head: null, repeated: null };
  },
} as Pick<EventLog, 'append'> as EventLog;
const directory: EventTypeDirectory = {
  resolve: async (_bot, names) => new Map(names.map((name) => [name, 101])),
  goals: async (_bot, ids) => new Map(ids.map((id) => [id, 101])),
};

/** Receives each element that the schema accepts: the log has it as after a second check. */
async function expectTaken<T>(
  elements: fc.Arbitrary<unknown>,
  accepts: { safeParse(given: unknown): { success: boolean; data?: T } },
  receive: (element: T) => Promise<unknown>,
  type: { create(data: never): StoredEvent },
): Promise<void> {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(elements, async (given) => {
      const { success, data } = accepts.safeParse(given);
      if (!success) return;
      taken++;
      await receive(data!);
      expect(appended).toEqual(type.create(appended!.data as never));
    }),
    { numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(300);
}

function parsed(number: string): unknown {
  return parseJson(Buffer.from(number));
}
