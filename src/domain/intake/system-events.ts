/**
 * Event ids 1 to 99 are system events. Platform updates make them (decisions.md#platform-updates, #event-names). An id
 * never changes.
 */
export const SYSTEM_EVENTS = {
  start: 1,
  command: 2,
  payment: 3,
  webapp_data: 4,
  callback: 5,
  block: 6,
  unblock: 7,
  message: 8,
  refund: 9,
} as const;

/** The goal that every bot has from the start. */
export const SALE_GOAL = { target_id: 1, event_id: 100, name: 'Sale' } as const;

/** The first id of goals and of names of custom events. */
export const FIRST_FREE_EVENT_ID = 101;
