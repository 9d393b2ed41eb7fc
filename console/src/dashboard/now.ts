import type { Bot } from '../session.ts';
import { loadNewUsers } from './data.ts';

/**
 * The moment up to which the service has counted. Periods of the dashboard end there: the clock of the browser may be wrong, and
 * what the service has not counted yet is not zero.
 */
export async function nowOf({ resource_key, timezone }: Bot, signal: AbortSignal): Promise<Date> {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(new Date());
  const { data_as_of } = await loadNewUsers(resource_key, { from: `${day} 00:00:00`, to: `${day} 23:59:59` }, signal);
  return new Date(data_as_of);
}
