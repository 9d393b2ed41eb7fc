import type { ReceiveCustomEvents } from '../../commands/intake/receive.ts';
import { UNIT_CODE } from '../../domain/catalog/checks.ts';
import { roundedText } from '../../domain/intake/amounts.ts';
import { type CustomEvent, customEvent, MAX_AHEAD_MS, MAX_TEXT } from '../../domain/intake/elements.ts';
import { isWithinYears, parseIso8601 } from '../../domain/intake/moment.ts';
import { readProperties } from '../../domain/intake/properties.ts';
import { isJsonObject, isStorable } from '../../domain/storable-json.ts';
import { botOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { LARGE_BODY } from '../body.ts';
import { type AnyRoute, route } from '../route.ts';
import { acknowledge, receiptHeaders, type SignReceipt } from './acknowledge.ts';
import { readElements } from './read-elements.ts';
import { acceptedWithReport, type ReportUnknownUsers, reportQuery } from './report-unknown-users.ts';
import { oneOrMany } from './schemas.ts';

const MAX_EVENTS = 1000;

/** POST /v1/send-event (interface.md): custom events, all or none, acknowledged when the log has them. */
export function sendEvent(
  receive: ReceiveCustomEvents,
  unknownUsers: ReportUnknownUsers,
  now: () => number,
  sign: SignReceipt,
): AnyRoute {
  const schema = customEvent(now);
  return route({
    method: 'POST',
    url: '/v1/send-event',
    operationId: 'sendEvent',
    summary: `Send one custom event, or an array of 1 to ${MAX_EVENTS}: all are accepted or none`,
    tag: 'Intake',
    access: { resource: 'required', withoutDatabase: true },
    bodyLimit: LARGE_BODY,
    body: oneOrMany(schema, MAX_EVENTS),
    check(body) {
      const receipt = now();
      const usual = (element: unknown): CustomEvent | null => usualCustomEvent(element, receipt);
      const { elements, problems } = readElements(schema, MAX_EVENTS, body, usual);
      if (problems.length > 0) throw invalid(problems);
      // A name that is refused later has a path that depends on the form.
      return Array.isArray(body) ? [...elements] : elements[0]!;
    },
    query: reportQuery,
    answer: acceptedWithReport,
    idempotent: true,
    headers: receiptHeaders,
    async handle({ request, query, body }) {
      const done = await acknowledge(sign, request, 'send-event', (stamp) =>
        receive(botOf(request).public_key, body, stamp),
      );
      return { ...done, ...(await unknownUsers(request, query, () => [body].flat().map(({ user_id }) => user_id))) };
    },
  });
}

/**
 * Reads a custom event of the usual form as the schema `customEvent` does, in a quarter of its time. That schema is
 * most of the cost of a batch. Null means only that the schema must read it: the schema names mistakes, and reads
 * unusual but right events (null for absent, numbers of many digits). `test/unit/intake/intake-usual-event.test.ts` compares
 * the two.
 */
export function usualCustomEvent(given: unknown, now: number): CustomEvent | null {
  if (!isJsonObject(given)) return null;
  const { event, user_id, value_num, unit, value_str, category, webapp_name, date, event_key } = given;
  const read = given['properties'] === undefined ? NO_PROPERTIES : readProperties(given['properties']);
  if ('problems' in read) return null;
  if (!isText(event, 1, MAX_TEXT)) return null;
  if (!Number.isSafeInteger(user_id) || (user_id as number) < 1) return null;
  const value = Number.isFinite(value_num) ? roundedText(value_num as number) : undefined;
  if (value === null || (value === undefined && value_num !== undefined)) return null;
  if (unit !== undefined && (value === undefined || !isText(unit, 1, 3) || !UNIT_CODE.test(unit))) return null;
  if (value_str !== undefined && !isText(value_str, 0, MAX_TEXT)) return null;
  if (category !== undefined && !isText(category, 0, MAX_TEXT)) return null;
  if (webapp_name !== undefined && !isText(webapp_name, 0, MAX_TEXT)) return null;
  if (event_key !== undefined && !isText(event_key, 1, MAX_TEXT)) return null;
  const at = typeof date === 'string' ? parseIso8601(date) : undefined;
  if (at === null || (at === undefined && date !== undefined)) return null;
  if (at !== undefined && (at > now + MAX_AHEAD_MS || !isWithinYears(at))) return null;
  return {
    event,
    user_id: user_id as number,
    value_num: value,
    unit: unit?.toUpperCase(),
    value_str,
    category,
    webapp_name,
    date: at,
    event_key,
    properties: read.properties,
  };
}

const NO_PROPERTIES = { properties: undefined };

/** Counts UTF-16 units. The limits count code points: at most as many, and at least one if there is a unit. */
function isText(value: unknown, min: number, max: number): value is string {
  return typeof value === 'string' && value.length >= min && value.length <= max && isStorable(value);
}
