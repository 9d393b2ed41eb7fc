import { describe, expect, it } from 'vitest';
import { dictionary, type KnownEvent } from '../../../console/src/parts/catalog.ts';
import { eventOptions } from '../../../console/src/parts/event-options.ts';
import { nameInDictionary } from '../../../console/src/parts/event-words.ts';

const seen = { first_seen: null, last_seen: null, title: null, description: null, hidden: false };
const EVENTS: readonly KnownEvent[] = [
  { ...seen, event_id: 1, name: 'start', kind: 'system', count: 90 },
  { ...seen, event_id: 101, name: 'order_paid', kind: 'custom', count: 5, title: 'Purchase' },
  { ...seen, event_id: 102, name: 'debug_ping', kind: 'custom', count: 500, hidden: true },
  { ...seen, event_id: 103, name: 'cart_filled', kind: 'custom', count: 50 },
  { ...seen, event_id: 100, name: 'Sale', kind: 'target', count: 0 },
];

describe('the names of events for people', () => {
  it('stand in pickers by kind, the most frequent first, without hidden ones', () => {
    expect(eventOptions(EVENTS).map(({ label, group }) => [group, label])).toEqual([
      ['Your events', 'Cart filled'],
      ['Your events', 'Purchase'],
      ['Goals', 'Sale'],
      ['Events of the platform', 'Start'],
    ]);
  });

  it('include a hidden event that is chosen already', () => {
    expect(eventOptions(EVENTS, 102).map(({ label }) => label)).toContain('Debug ping');
  });

  it('are the titles, where one event has the name that an answer has', () => {
    dictionary.value = EVENTS;
    expect(['order_paid', 'cart_filled', 'unknown_one'].map((name) => nameInDictionary(name))).toEqual([
      'Purchase',
      'Cart filled',
      'Unknown one',
    ]);
    dictionary.value = [...EVENTS, { ...seen, event_id: 200, name: 'order_paid', kind: 'target', count: 1 }];
    expect(nameInDictionary('order_paid')).toBe('Order paid');
    expect(nameInDictionary('order_paid', 101)).toBe('Purchase');
  });
});
