import { type BotState, bot } from '../../domain/catalog/bot.ts';
import { eventTypes } from '../../domain/catalog/event-types.ts';
import { SYSTEM_EVENTS } from '../../domain/intake/system-events.ts';
import type { AmountUnit } from '../../domain/referral/account/reward.ts';
import type { RuleCatalog } from '../../domain/referral/program.ts';
import { Rejection } from '../../domain/rejection.ts';
import { botStream, eventTypesStream } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';
import { load } from '../decide-and-append.ts';

/** What a bot's rules may name, read from the log. Units and events are never taken away, so the answer holds. @throws Rejection not_found */
export async function ruleCatalog(
  log: EventLog,
  publicKey: string,
): Promise<RuleCatalog & { readonly units: ReadonlyMap<string, AmountUnit> }> {
  const [{ state }, types] = await Promise.all([
    load(log, bot, botStream(publicKey)),
    load(log, eventTypes, eventTypesStream(publicKey)),
  ]);
  if (state.bot === null) throw new Rejection('not_found', 'bot', `there is no bot ${publicKey}`);
  const { names, goals } = types.state;
  const events = new Set<number>([...Object.values(SYSTEM_EVENTS), ...names.values(), ...goals.values()]);
  return { units: state.units, scales: scalesOf(state), hasEvent: (eventId) => events.has(eventId) };
}

function scalesOf({ units }: BotState): Map<number, number> {
  return new Map([...units.values()].map(({ unit_id, scale }) => [unit_id, scale]));
}
