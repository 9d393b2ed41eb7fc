import { describe, expect, it } from 'vitest';
import { refusal } from '../../support/scripted-client.ts';
import { event, queueOf } from '../../support/scripted-queue.ts';

describe('an item that JSON cannot hold is refused when it is added, by its field, and costs no other item:', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  it.each([
    ['an id as a long BigInt', { user_id: 2n ** 53n }, 'must be at most 9007199254740991 (at user_id)'],
    ['a negative BigInt', { user_id: -(2n ** 53n) }, 'must be at least -9007199254740991 (at user_id)'],
    ['NaN', { value_num: Number.NaN }, 'must be a finite number, not NaN (at value_num)'],
    ['Infinity', { properties: { price: -1 / 0 } }, 'must be a finite number, not -Infinity (at properties.price)'],
    ['a function', { category: () => 1 }, 'must be JSON, not a function (at category)'],
    ['a symbol', { category: Symbol('a') }, 'must be JSON, not a symbol (at category)'],
    ['a Map', { properties: new Map() }, 'must be JSON, not a Map (at properties)'],
    ['no date', { date: new Date(Number.NaN) }, 'must be a valid date (at date)'],
    ['a circle', { properties: circular }, /^is nested too deeply \(at properties\.self\.self/],
  ])('%s', async (_, fields, message) => {
    const { queue, add, bodies, failed } = queueOf();
    add(event(1));
    expect(() => queue.add({ ...event(2), ...fields } as never)).toThrow(message);
    add(event(3));
    expect(await queue.close()).toEqual({ sent: 2, failed: 0 });
    expect({ bodies: bodies(), failed }).toEqual({ bodies: ['e1,e3'], failed: [] });
  });

  it.each([[undefined], [null], ['text'], [[event(1)]]])('%j in the place of an item', (item) => {
    expect(() => queueOf().queue.add(item as never)).toThrow('an item must be an object');
  });
});

it('sends an item as it was when it was added, and hands it back so', async () => {
  const { queue, answer, sent, failed } = queueOf({ maxBatch: 1 });
  answer(refusal(400, 'no'));
  const item = { event: 'order', user_id: 1, properties: { color: 'red' } };
  queue.add(item);
  queue.add(item);
  item.properties.color = 'blue';
  await queue.close();
  const before = { event: 'order', user_id: 1, properties: { color: 'red' } };
  expect(sent.map(({ body }) => JSON.parse(body))).toEqual([[before], [before]]);
  expect(failed).toMatchObject([{ items: [before] }]);
});

it('sends a BigInt that fits as a number, and an amount with all its digits', async () => {
  const { queue, sent } = queueOf();
  queue.add({ event: 'order', user_id: 4242n, value_num: 2n ** 70n, date: new Date(0) } as never);
  await queue.close();
  expect(sent[0]!.body).toBe(
    `[{"event":"order","user_id":4242,"value_num":${2n ** 70n},"date":"1970-01-01T00:00:00.000Z"}]`,
  );
});

it.each([
  ['maxBatch', 5000, 'maxBatch must be an integer from 1 to 1000'],
  ['maxBatch', 0, 'maxBatch must be an integer from 1 to 1000'],
  ['maxBatch', 1.5, 'maxBatch must be an integer from 1 to 1000'],
  ['maxDelayMs', -1, 'maxDelayMs must be from 0 to 2147483647'],
  ['maxDelayMs', Number.NaN, 'maxDelayMs must be from 0 to 2147483647'],
  ['maxDelayMs', 2 ** 31, 'maxDelayMs must be from 0 to 2147483647'],
  ['capacity', 0, 'capacity must be 1 or more'],
  ['capacity', Number.NaN, 'capacity must be 1 or more'],
])('refuses %s %d at once', (name, value, message) => {
  expect(() => queueOf({ [name]: value })).toThrow(new RangeError(message));
});
