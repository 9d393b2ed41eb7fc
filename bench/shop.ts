import { ask, botOf, eventIdOf } from './ask.ts';
import { command } from './command.ts';
import { DAYS } from './report-questions.ts';
import { type BenchService, projected, visit } from './service.ts';

const BATCH = 1000;
const VISITS = 100;
const DAY_MS = 86_400_000;
/** When the users came; the events happen on the days since. */
const START = Date.now() - DAYS * DAY_MS;
/**
 * The first user's id, above the ids of `startBenchService`: an update has its user's id, so a repeated id would make
 * no user.
 */
export const FIRST_USER = 1_000_000;
/** The users came by the codes of these referrers in turn. The referrers earn for one event in twenty. */
const REFERRERS = 500;

/** How many users a shop has, and how many events they send. */
export interface Shop {
  readonly users: number;
  readonly events: number;
}

/** Fills a service with the users of a shop and their events, and with the rewards of those who brought them. */
export async function fillShop(service: BenchService, { users, events }: Shop): Promise<void> {
  const send = async (sent: number, count: number): Promise<void> => {
    const batch = Array.from({ length: count }, (_, i) => eventOf(sent, i, { users, events }));
    await ask(service, '/v1/send-event', batch);
  };
  await projected(service);
  const code = (index: number): string => `code${index % REFERRERS}`;
  await ask(
    service,
    '/v1/referral/set-code-owners',
    Array.from({ length: REFERRERS }, (_, index) => ({ code: code(index), user_id: 1 + index })),
  );
  const date = Math.floor(START / 1000);
  for (let user = 0; user < users; user += VISITS)
    await ask(
      service,
      '/v1/send-batch-update',
      Array.from({ length: VISITS }, (_, i) => visit(FIRST_USER + user + i, code(user + i), { date })),
    );
  // The rule names an event that the bot has.
  await send(0, BATCH);
  await projected(service);
  const terms = ['--name', 'Orders', '--type', 'percent', '--percent', '2.9', '--hold-days', '14'];
  const trigger = String(await eventIdOf(service, 'event_0'));
  await command(service, ['rule', 'create', '--bot', await botOf(service), '--trigger-event-id', trigger, ...terms]);
  for (let sent = BATCH; sent < events; sent += BATCH) await send(sent, Math.min(BATCH, events - sent));
  await projected(service);
}

/** Event `i` of the batch that comes after `sent` events. */
function eventOf(sent: number, i: number, { users, events }: Shop): object {
  return {
    event: `event_${i % 20}`,
    user_id: FIRST_USER + ((sent + i * 7919) % users),
    date: new Date(START + Math.floor(((sent + i) / events) * DAYS * DAY_MS)).toISOString(),
    ...(i % 5 === 0 && { value_num: i, unit: 'USD' }),
    ...(i % 3 === 0 && { category: `c${i % 30}` }),
  };
}
