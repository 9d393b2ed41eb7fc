import { BENCH_USERS } from './service.ts';

/** Events as bots send them: of many users, when they occur. */
export const BENCH_EVENTS: readonly object[] = BENCH_USERS.map((user_id, i) => ({
  event: `event_${i % 20}`,
  user_id,
  value_num: 1000 + i,
  unit: 'USD',
  category: 'books',
  value_str: 'from the shop window',
}));

/** The events as bodies of requests, `size` in each. */
export function batchBodies(size: number): string[] {
  const bodies: string[] = [];
  for (let i = 0; i < BENCH_EVENTS.length; i += size) bodies.push(JSON.stringify(BENCH_EVENTS.slice(i, i + size)));
  return bodies;
}
