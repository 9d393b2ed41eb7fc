import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AMOUNTS } from '../../../packages/client/src/amounts.ts';
import { bodyText, parseAnswer } from '../../../packages/client/src/json.ts';

const LEDGER = '/v1/referral/balance';

describe('an answer', () => {
  it('has amounts of the ledger as text, with every digit', () => {
    const text =
      '{"ok":true,"data":{"balance":[{"unit_id":6,"available":1999999999999998.01,"paid": 0,"on_hold":-0.10}]}}';
    expect(parseAnswer(LEDGER, text)).toEqual({
      ok: true,
      data: { balance: [{ unit_id: 6, available: '1999999999999998.01', paid: '0', on_hold: '-0.10' }] },
    });
  });

  it('elsewhere has numbers, and text where a double would lose a digit', () => {
    const text =
      '{"amount":12.5,"rows":[{"sum":12345678901234567.89,"third":0.3333333333333333,"id":9007199254740991}]}';
    expect(parseAnswer('/v1/reports/run', text)).toEqual({
      amount: 12.5,
      rows: [{ sum: '12345678901234567.89', third: 0.3333333333333333, id: 9007199254740991 }],
    });
  });

  it('has texts as they are, also texts that look like amounts', () => {
    const data = {
      reason: '"amount":5, 12345678901234567890',
      'x"amount': 5,
      amount: null,
      paid: 'yes',
      list: ['paid', 7],
    };
    expect(parseAnswer(LEDGER, JSON.stringify({ data }))).toEqual({ data });
  });

  it('of any other content is what JSON.parse gives', () => {
    // Keys of amounts have numbers. They become text.
    const key = fc.string().filter((text) => !AMOUNTS.includes(text));
    const value = fc.jsonValue().map((json) => JSON.stringify(json));
    fc.assert(
      fc.property(
        fc.dictionary(
          key,
          value.map((text) => JSON.parse(text) as unknown),
        ),
        (object) => {
          const text = JSON.stringify(object, (_, part) =>
            typeof part === 'number' ? Number(part.toPrecision(10)) : part,
          );
          if (AMOUNTS.some((name) => text.includes(`"${name}"`))) return;
          const long = /\d[\d.e+-]{15}/.test(text);
          if (!long) expect(parseAnswer(LEDGER, text)).toEqual(JSON.parse(text));
        },
      ),
    );
  });
});

describe('a body', () => {
  it('has amounts that are text as numbers, with every digit', () => {
    const events = [
      { event: 'x', user_id: 1, value_num: '0.1000000000000000000001' },
      { event: 'x', user_id: 1, value_num: 5, value_str: '5' },
    ];
    expect(bodyText('/v1/send-event', events)).toBe(
      '[{"event":"x","user_id":1,"value_num":0.1000000000000000000001},{"event":"x","user_id":1,"value_num":5,"value_str":"5"}]',
    );
    expect(bodyText('/v1/send-target', { value: '-1e3' })).toBe('{"value":-1e3}');
  });

  it('leaves other values, fields and paths to the service', () => {
    const other = { value_num: '1,5', value: '1', value_str: '\0' };
    expect(bodyText('/v1/send-event', other)).toBe(JSON.stringify(other));
    expect(bodyText('/v1/settings/rules/create', { value_num: '1' })).toBe('{"value_num":"1"}');
  });

  it('of any event is JSON of the same event', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()),
        (text, value) => {
          const sent = JSON.parse(bodyText('/v1/send-event', { event: text, value_num: String(value) }));
          expect(sent.value_num).toBe(Object.is(value, -0) ? 0 : value);
          if (!/^\0-?\d/.test(text)) expect(sent.event).toBe(text);
        },
      ),
    );
  });
});
