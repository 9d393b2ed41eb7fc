import type { Condition } from '../condition/condition.ts';
import { parseCondition } from '../condition/parse-condition.ts';
import type { Problem } from '../problem.ts';
import type { ReportField } from '../reports/fields.ts';
import { type JsonObject, property, safeInteger } from '../storable-json.ts';
import { audienceEventFields } from './audience.ts';

/** The event that counts as a conversion, and how long after the message (decisions.md#conversions). */
export interface Conversion {
  /** Null: any event. */
  readonly eventId: number | null;
  readonly condition: Condition<ReportField> | null;
  /** Days of 24 hours. */
  readonly days: number;
}

export const CONVERSION_DAYS = { min: 1, max: 90 };

/** Checks the question. Adds mistakes to `problems`; then the result must not be used. */
export function parseConversion(body: JsonObject, timezone: string, problems: Problem[]): Conversion {
  const { min, max } = CONVERSION_DAYS;
  const eventId = body['event_id'] === null ? null : (safeInteger(property(body, 'event_id')) ?? 0);
  // A misspelt name would silently count every event.
  if (eventId !== null && eventId < 1)
    problems.push({ path: 'event_id', message: 'must be the id of an event, or null for any event' });
  const days = safeInteger(property(body, 'days')) ?? 0;
  if (days < min || days > max)
    problems.push({ path: 'days', message: `must be a whole number of days from ${min} to ${max}` });
  const condition = parseCondition(property(body, 'conditions'), {
    catalogue: audienceEventFields,
    timezone,
    path: 'conditions',
    problems,
    grammar: 'audience',
  });
  return { eventId, condition, days };
}
