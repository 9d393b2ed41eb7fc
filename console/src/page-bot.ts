import { address } from './address.ts';
import { type Bot, session } from './session.ts';

/** The bot of the page: the one that the address names, else the first. Undefined: the session has no such bot. */
export function botOfPage(): Bot | undefined {
  const bots = session.value && 'bots' in session.value ? session.value.bots : [];
  const asked = address.value.query.get('bot');
  return asked === null ? bots[0] : bots.find(({ resource_key }) => resource_key === asked);
}

/** The IANA name of the zone in which the page shows dates: that of its bot; UTC where there is none. */
export const zoneOfPage = (): string => botOfPage()?.timezone ?? 'UTC';
