import type { LatestEvents } from '../../../src/api/intake/latest-events-schemas.ts';
import type { Value } from '../api.ts';
import { money, number } from '../format.ts';
import { spoken } from '../parts/names.ts';
import { currency } from '../session.ts';

/** The system event of /start. Later events repeat its source. */
const START = 1;

export type LiveEvent = LatestEvents['items'][number];

/** Lists the facts of an event, short: amount, category, texts, custom properties. */
export function factsOf(event: LiveEvent): readonly string[] {
  const { value_amount, value_int, unit, category, value_str, webapp_name, utm_source, utm_campaign, properties } =
    event;
  const amount =
    value_amount !== null && value_amount !== undefined
      ? money(value_amount, currency())
      : value_int === null
        ? null
        : [number(value_int), unit].filter(Boolean).join(' ');
  const isStart = event.event_type_id === START;
  const visit = isStart ? [utm_source, utm_campaign].filter(Boolean).join(' / ') : '';
  const own = Object.entries(properties).map(([name, value]) => `${spoken(name)}: ${shownValue(value as Value)}`);
  return [amount, category, value_str, webapp_name, visit, ...own].filter(
    (fact) => fact !== null && fact !== '',
  ) as string[];
}

const shownValue = (value: Value): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
