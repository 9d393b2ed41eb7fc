import { expect, it, onTestFinished } from 'vitest';
import type { LedgerEvent } from '../../src/domain/events.ts';
import { SYSTEM_EVENTS } from '../../src/domain/intake/system-events.ts';
import { eventsReadModel } from '../../src/projections/events/read-model.ts';
import { eventsSnapshot } from '../support/events-snapshot.ts';
import { EPOCH, partitionsOf, type Step } from '../support/intake-logs.ts';
import { createTestProjection } from '../support/test-projection.ts';

const visit = (start_param: string, i: number): Step => {
  const flags = { makes_user: true, is_bot: false, is_premium: false, chat_type: 'private' as const };
  const item = { update_id: i, user_id: 42, ...flags, event_id: SYSTEM_EVENTS.start, start_param, date: EPOCH + i };
  const event = { type: 'updates_received' as const, data: { items: [item] } };
  return { partition: 'bot-a', stream: 'intake-a', wait: 0, event };
};
const codes: LedgerEvent[] = [
  { type: 'referral_code_created', data: { code: 'made', user_id: 1 } },
  { type: 'referral_code_owners_set', data: { elements: ['owned', 'source-b'].map((code) => ({ code, user_id: 1 })) } },
  { type: 'referral_marked', data: { referral_user_id: 1, code: null, referrer_id: 2, new_code: 'given' } },
];

it.each([1, 100])('a visit by a referral code has no source, unless it has pairs: batches of %i', async (size) => {
  const projection = await createTestProjection(eventsReadModel);
  onTestFinished(projection.drop);
  const made = codes.map((event): Step => ({ partition: 'bot-a', stream: 'referral-a', wait: 0, event }));
  const after = ['owned', 'made', 'given', 'source-b', 'made', 'other'];
  const steps = [visit('owned', 0), ...made, ...after.map((code, i) => visit(code, i + 1))];
  const commits = [...partitionsOf(steps).values()].flat();
  const batches = Array.from({ length: Math.ceil(commits.length / size) }, (_, i) =>
    commits.slice(i * size, (i + 1) * size),
  );
  const { events } = await projection.project(batches, eventsSnapshot);
  const sources = events.toSorted((a, b) => a.date - b.date).map(({ utm }) => utm?.split('|')[0]);
  // A visit without one leaves the source of the visit before it.
  expect(sources).toEqual(['owned', 'owned', 'owned', 'owned', 'b', 'b', 'other']);
});
