import { expect, it } from 'vitest';
import { describeEvent, dictionary } from '../../../src/domain/catalog/event-types.ts';
import { Rejection } from '../../../src/domain/rejection.ts';

const words = { event_id: 7, title: 'Order paid', description: null, hidden: false };
const given = [{ type: 'event_described' as const, data: words }].reduce(dictionary.evolve, dictionary.initialState());

it('changes the words that are named and keeps the others', () => {
  const decided = describeEvent(given, { event_id: 7, description: 'Money came in' }, true);
  expect(decided).toEqual([{ type: 'event_described', data: { ...words, description: 'Money came in' } }]);
});

it('takes words away by an empty text', () => {
  const decided = describeEvent(given, { event_id: 7, title: '' }, true);
  expect(decided).toEqual([{ type: 'event_described', data: { ...words, title: null } }]);
});

it('appends nothing for the same words', () => {
  expect(describeEvent(given, { event_id: 7, title: 'Order paid', hidden: null }, true)).toEqual([]);
});

it('refuses an event that the bot does not have', () => {
  const refused = describeEvent(given, { event_id: 8, title: 'x' }, false);
  expect(refused).toBeInstanceOf(Rejection);
  expect(refused).toMatchObject({ code: 'not_found', path: 'event_id' });
});
