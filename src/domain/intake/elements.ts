import { z } from 'zod';
import { UNIT_CODE } from '../catalog/checks.ts';
import { exactNumber, isJsonObject, isStorable, NO_ID, safeInteger } from '../storable-json.ts';
import { roundedText } from './amounts.ts';
import { isWithinYears, parseIso8601, parseRfc3339, YEARS } from './moment.ts';
import {
  type EventProperties,
  MAX_PROPERTIES,
  MAX_PROPERTY_TEXT,
  PROPERTY_NAME,
  PROPERTY_TYPES,
  readProperties,
} from './properties.ts';

/**
 * Shapes of the elements of the two intake methods, as a client or a file of past events has them (interface.md, "Target event" and "Custom event"; decisions.md#plain-values,
 * #exact-decimals, #event-dates, #event-values, #event-properties, #event-key). A number arrives as a JS number or, if a
 * double would lose digits, as a LosslessNumber. So domain/storable-json.ts reads it, and its OpenAPI schema is written by hand. An
 * optional field that is null counts as absent.
 */

export const MAX_TEXT = 250;
export const NOT_AN_OBJECT = { error: 'must be an object' };
/** How far in the future an event may lie, for clocks that are fast. */
export const MAX_AHEAD_MS = 24 * 60 * 60 * 1000;

const text = (min: number, max: number) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a string') })
    .refine((value) => value.length >= min, `must have at least ${min} character${min === 1 ? '' : 's'}`)
    // A string's length counts UTF-16 units. The limit counts code points, of which there are at most as many.
    .refine((value) => value.length <= max || [...value].length <= max, `must have at most ${max} characters`)
    .refine(isStorable, 'must not hold U+0000 or a lone surrogate')
    .meta({ minLength: min, maxLength: max });

export const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);

export const integer = (min: number, what: string) =>
  z
    .unknown()
    .transform((value, context) => {
      const id = safeInteger(value);
      if (id !== undefined && id >= min) return id;
      context.addIssue({ code: 'custom', message: value === undefined || value === null ? 'is required' : what });
      return z.NEVER;
    })
    .meta({ type: 'integer', minimum: min, maximum: Number.MAX_SAFE_INTEGER });

const decimal = z
  .unknown()
  .transform((value, context) => {
    if (value === undefined || value === null) return undefined;
    const number = Number.isFinite(value) ? (value as number) : exactNumber(value);
    const decimals = number === undefined ? null : roundedText(number);
    if (decimals !== null) return decimals;
    const outside = 'must lie within 10^15';
    context.addIssue({ code: 'custom', message: number === undefined ? 'must be a number' : outside });
    return z.NEVER;
  })
  .optional()
  .meta({ type: ['number', 'null'] });

export const moment = (parse: (text: string) => number | null, form: string, now: () => number) =>
  z
    .string({ error: 'must be a string' })
    .transform((value, context) => {
      const at = parse(value);
      if (at === null) context.addIssue({ code: 'custom', message: `must be ${form}` });
      else if (at > now() + MAX_AHEAD_MS)
        context.addIssue({ code: 'custom', message: 'must not lie more than 24 hours in the future' });
      else if (!isWithinYears(at)) context.addIssue({ code: 'custom', message: YEARS });
      else return at;
      return z.NEVER;
    })
    .meta({ format: 'date-time' });

/** Checks these fields together even if other fields are wrong, so that one answer names all wrong fields. */
const unlessWrong =
  (...fields: readonly string[]) =>
  ({ value, issues }: { value: unknown; issues: readonly { path?: readonly PropertyKey[] | undefined }[] }): boolean =>
    isJsonObject(value) && !issues.some(({ path }) => fields.includes(String(path?.[0])));

const unit = text(1, 3)
  .refine((value) => UNIT_CODE.test(value), 'must be letters A to Z and digits')
  .transform((value) => value.toUpperCase());
const userId = integer(1, NO_ID);
const eventKey = optional(text(1, MAX_TEXT)).describe('The same key of a bot counts once, forever');

const properties = z
  .unknown()
  .transform((value, context): EventProperties | undefined => {
    const read = readProperties(value);
    if ('properties' in read) return read.properties;
    for (const { path, message } of read.problems)
      context.addIssue({ code: 'custom', path: path === '' ? [] : [path], message });
    return z.NEVER;
  })
  .optional()
  .meta({
    type: ['object', 'null'],
    maxProperties: MAX_PROPERTIES,
    propertyNames: { pattern: PROPERTY_NAME.source },
    additionalProperties: { type: [...PROPERTY_TYPES, 'null'], maxLength: MAX_PROPERTY_TEXT },
    description: `Custom properties, at most ${MAX_PROPERTIES}: reports name them events.properties.<name>`,
    examples: [{ plan: 'pro', items: 3, gift: false }],
  });

/** One custom event as a client sends it. Its output is the stored form, with the name instead of the id. */
export const customEvent = (now: () => number) =>
  z
    .object(
      {
        event: text(1, MAX_TEXT).describe('Name of the event'),
        user_id: userId.describe('Platform id of the acting user'),
        value_num: decimal.describe('Amount or count; with a unit, in its smallest parts'),
        unit: optional(unit).describe('Unit of value_num'),
        value_str: optional(text(0, MAX_TEXT)),
        category: optional(text(0, MAX_TEXT)),
        webapp_name: optional(text(0, MAX_TEXT)),
        date: optional(moment(parseIso8601, 'an ISO 8601 date and time', now)).describe('Default: the time of receipt'),
        event_key: eventKey,
        properties,
      },
      NOT_AN_OBJECT,
    )
    .refine((event) => event.unit === undefined || event.value_num !== undefined, {
      path: ['unit'],
      message: 'unit needs value_num',
      when: unlessWrong('unit', 'value_num'),
    })
    .meta({ id: 'CustomEvent', example: { event: 'order_paid', user_id: 4242, value_num: 1999, unit: 'USD' } });
export type CustomEvent = z.output<ReturnType<typeof customEvent>>;

/** One target event as a client sends it. */
export const targetEvent = (now: () => number) =>
  z
    .object(
      {
        target_id: integer(1, NO_ID).describe('Id of a goal of the bot; 1 is Sale'),
        user_id: userId,
        date: optional(moment(parseRfc3339, 'an RFC 3339 date and time with milliseconds and an offset', now)).describe(
          'Default: the time of receipt',
        ),
        value: decimal.describe('Total price, in normal units'),
        unit: optional(unit).describe('Currency; required with a value'),
        event_key: eventKey,
        properties,
      },
      NOT_AN_OBJECT,
    )
    .refine((event) => event.value === undefined || event.unit !== undefined, {
      path: ['unit'],
      message: 'is required with a value',
      when: unlessWrong('unit', 'value'),
    })
    .meta({
      id: 'TargetEvent',
      example: { target_id: 1, user_id: 4242, value: 19.99, unit: 'USD', date: '2026-01-31T12:00:00.000Z' },
    });
export type TargetEvent = z.output<ReturnType<typeof targetEvent>>;
