import type { CustomEventItem, TargetEventItem, UpdateItem } from '../../src/domain/intake/intake-events.ts';
import { SYSTEM_EVENTS } from '../../src/domain/intake/system-events.ts';
import type { LedgerEvent } from '../../src/domain/ledger-events.ts';
import { eventsSnapshot } from './events-snapshot.ts';
import type { EventRow } from './intake-fold.ts';
import { partitionsOf, type Step } from './intake-logs.ts';
import type { TestProjection } from './test-projection.ts';

/** Steps of bot a and the rows after them. The bot belongs to owner 1, whose currency is USD. */

export const USER = 42;

/** An event in the intake of bot a, `wait` ms after the one before. */
function intake(event: LedgerEvent, wait = 0): Step {
  return { partition: 'bot-a', stream: 'intake-a', wait, event };
}

export const custom = (fields: Partial<CustomEventItem>, wait = 0): Step =>
  intake({ type: 'custom_events_received', data: { items: [{ event_id: 101, user_id: USER, ...fields }] } }, wait);
export const target = (fields: Partial<TargetEventItem>): Step =>
  intake({ type: 'target_events_received', data: { items: [{ event_id: 100, user_id: USER, ...fields }] } });
let updateId = 0;
export const update = (fields: Partial<UpdateItem>, wait = 0): Step => {
  const flags = { makes_user: true, is_bot: false, is_premium: false, chat_type: 'private' as const };
  const item = { update_id: ++updateId, user_id: USER, ...flags, event_id: SYSTEM_EVENTS.message, ...fields };
  return intake({ type: 'updates_received', data: { items: [item] } }, wait);
};
export const start = (start_param: string, date: number): Step =>
  update({ event_id: SYSTEM_EVENTS.start, command: '/start', start_param, date });
export const known = intake({ type: 'users_imported', data: { items: [{ user_id: USER }] } });
export const fx = (from: string, rate: string, date: string, wait = 0, to = 'USD'): Step => {
  return { partition: 'fx-global', wait, event: { type: 'exchange_rate_set', data: { from, to, rate, date } } };
};
export const ownersCurrency = (currency: string, wait: number): Step => {
  return { partition: 'owner-1', wait, event: { type: 'owner_changed', data: { currency } } };
};
export const unit = (code: string, scale: number, wait = 0): Step => {
  return { partition: 'bot-a', wait, event: { type: 'unit_created', data: { unit_id: 1, code, name: null, scale } } };
};

/** Events and errors after the steps, in batches of one commit. */
export async function outcomeOf(
  projection: TestProjection,
  ...steps: Step[]
): Promise<{ events: EventRow[]; errors: object[]; types: object[]; properties: object[] }> {
  const commits = [...partitionsOf(steps).values()].flat();
  const rows = await projection.project(
    commits.map((commit) => [commit]),
    eventsSnapshot,
  );
  return {
    ...rows,
    events: rows.events.toSorted((a, b) => a.date - b.date),
    errors: [...rows.errors],
    types: [...rows.types],
    properties: [...rows.properties],
  };
}

/** The payloads of the errors after the steps. */
export async function payloadsAfter(projection: TestProjection, ...steps: Step[]): Promise<object[]> {
  const commits = [...partitionsOf(steps).values()].flat();
  return projection.project([commits], async (tx) => {
    const { rows } = await tx.query<{ payload: object }>('SELECT payload FROM bot_errors ORDER BY source');
    return rows.map(({ payload }) => payload);
  });
}
