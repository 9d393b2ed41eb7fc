import { z } from 'zod';
import { autoPayout, keyKind } from '../../domain/catalog/catalog-events.ts';
import { decimalText } from '../../domain/intake/amounts.ts';
import { parseIso8601 } from '../../domain/intake/moment.ts';
import { rewardType } from '../../domain/referral/program.ts';
import { exactNumber, isStorable, safeInteger } from '../../domain/storable-json.ts';
import { KEY_STATES } from '../../queries/catalog/owners.ts';
import { page } from '../page.ts';
import { unit } from '../referral/overview-schemas.ts';
import { id } from '../referral/schemas.ts';
import { answer, changed, items } from '../shapes.ts';

/** Schemas of the settings (decisions.md#owner-settings, #plain-values). The domain checks most values, for the CLI too. */

const NOT_AN_OBJECT = { error: 'must be an object' };
const text = z
  .string({ error: ({ input }) => (input == null ? 'is required' : 'must be a string') })
  .refine(isStorable, 'must not hold U+0000 or a lone surrogate');
/** Absent and null mean the same. */
const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined);
const flag = optional(z.boolean());

/** A decimal: a number, or its text. @returns its text. The domain checks it */
const decimal = z
  .unknown()
  .transform((value, context): string | undefined => {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string') return value;
    const number = exactNumber(value);
    const digits = number === undefined ? null : decimalText(number);
    if (digits !== null) return digits;
    context.addIssue({ code: 'custom', message: 'must be a decimal: a number, or a text of digits' });
    return z.NEVER;
  })
  .optional()
  .meta({ type: ['number', 'string', 'null'] });

/** @param least the least integer that is accepted */
const integer = (least: number, most: number) =>
  z
    .unknown()
    .transform((value, context): number | undefined => {
      if (value === undefined || value === null) return undefined;
      const given = safeInteger(value);
      if (given !== undefined && given >= least && given <= most) return given;
      context.addIssue({ code: 'custom', message: `must be an integer from ${least} to ${most}` });
      return z.NEVER;
    })
    .optional()
    .meta({ type: ['integer', 'null'], minimum: least, maximum: most });

const moment = z
  .string({ error: 'must be a string' })
  .transform((given, context) => {
    // A date without an offset would be read as UTC.
    const at = /:\d\d(\.\d+)?([Zz]|[-+]\d\d:\d\d)$/.test(given) ? parseIso8601(given) : null;
    if (at !== null) return at;
    context.addIssue({ code: 'custom', message: 'must be a date of RFC 3339, such as 2026-12-31T23:59:59Z' });
    return z.NEVER;
  })
  .meta({ type: 'string', example: '2099-12-31T23:59:59Z' });

const basics = {
  username: optional(text).describe("The platform's name of the bot; empty: none"),
  token: optional(text).describe('Of the Bot API; empty: none. It is never answered'),
  timezone: optional(text).describe('IANA name'),
};
export const createBotBody = z.object({ name: text, ...basics }, NOT_AN_OBJECT).meta({ id: 'CreateBotRequest' });
export const setBotBody = z
  .object(
    {
      name: optional(text),
      ...basics,
      pair_separator: optional(text).describe('Between the pairs of a start payload'),
      value_separator: optional(text).describe('Between key and value of a pair'),
      referral_new_users_only: flag.describe('A visit refers only users first seen by it'),
      auto_payout: optional(autoPayout),
      paid_broadcasts: flag.describe('Allows more than 30 messages a second. The platform charges for them'),
    },
    NOT_AN_OBJECT,
  )
  .meta({ id: 'SetBotRequest' });
export const nothingBody = z.object({}, NOT_AN_OBJECT).meta({ id: 'NoFields' });

export const issueKeyBody = z
  .object(
    {
      bots: z
        .union([z.literal('all'), z.array(text).min(1)], {
          error: 'must be "all" or a non-empty array of resource keys',
        })
        .describe('Resource keys of the bots, or `all`: later ones too'),
      kind: z.enum(keyKind.options).default('service').describe('`owner` is refused: an operator issues owner keys'),
      name: optional(text),
      expires_at: optional(moment).describe('Absent: never'),
    },
    NOT_AN_OBJECT,
  )
  .meta({ id: 'IssueKeyRequest' });
const MAX_OVERLAP_S = 366 * 24 * 3600;
export const rotateKeyBody = z
  .object(
    {
      key_id: id,
      overlap_seconds: integer(0, MAX_OVERLAP_S).describe(
        'How long the old key keeps working; default a day, for owner keys at most; at least 600 for the key of the request',
      ),
    },
    NOT_AN_OBJECT,
  )
  .meta({ id: 'RotateKeyRequest' });
export const keysQuery = z.object(page);
export const revokeKeyBody = z.object({ key_id: id }, NOT_AN_OBJECT).meta({ id: 'RevokeKeyRequest' });

export const createGoalBody = z.object({ target_id: id, name: text }, NOT_AN_OBJECT).meta({ id: 'CreateGoalRequest' });
export const createUnitBody = z
  .object(
    { code: text, name: optional(text), scale: integer(0, 100).describe('Decimals, 0 to 18; default 2') },
    NOT_AN_OBJECT,
  )
  .meta({ id: 'CreateUnitRequest' });

const terms = {
  amount: decimal.describe('Of a fixed reward, in normal units'),
  percent: decimal.describe("Of the event's value, at most 100"),
  hold_days: decimal.describe('How long a reward is on hold; default 0'),
};
export const createRuleBody = z
  .object(
    {
      name: text,
      trigger_event_id: id.describe('The event that earns, as reports/events lists it'),
      reward_type: rewardType,
      ...terms,
      unit_id: optional(id).describe('A unit of the bot'),
      currency: optional(text).describe("A currency instead of unit_id. Default of a fixed rule: the owner's currency"),
    },
    NOT_AN_OBJECT,
  )
  .meta({ id: 'CreateRuleRequest' });
export const editRuleBody = z
  .object({ rule_id: id, name: optional(text), ...terms, active: flag.describe('Whether it earns') }, NOT_AN_OBJECT)
  .meta({ id: 'EditRuleRequest' });

export const setWebhookBody = z.object({ url: text }, NOT_AN_OBJECT).meta({ id: 'SetWebhookRequest' });
export const redeliverBody = z.object({ payout_id: id }, NOT_AN_OBJECT).meta({ id: 'RedeliverPayoutRequest' });
export const deliveriesQuery = z.object({
  payout_id: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be a positive integer')
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: 1 }),
  ...page,
});

const currency = text.optional().describe('A code, in capitals or not; absent: of every one');
export const ratesQuery = z.object({ from: currency, to: currency, ...page });

/** Null in a repeat: it was shown once. */
const shownOnce = z.string().nullable();
const isoDate = z.string().meta({ example: '2026-03-01T10:00:00.000Z' });

const bot = z
  .object({
    resource_key: z.string(),
    name: z.string(),
    username: z.string().nullable(),
    has_token: z.boolean(),
    timezone: z.string(),
    pair_separator: z.string(),
    value_separator: z.string(),
    referral_new_users_only: z.boolean(),
    auto_payout: autoPayout,
    paid_broadcasts: z.boolean(),
  })
  .meta({ id: 'BotSettings' });
export const botsAnswer = items(bot);
export const botSecretAnswer = changed(
  z.object({ resource_key: z.string(), webhook_secret: shownOnce }).meta({ id: 'BotSecret' }),
);
export const botAnswer = changed(z.object({ resource_key: z.string() }).meta({ id: 'ResourceKey' }));

const key = z
  .object({
    key_id: z.int(),
    public_part: z.string(),
    /** Null: all bots. */
    bots: z.array(z.string()).nullable(),
    kind: keyKind,
    name: z.string().nullable(),
    issued_at: isoDate,
    expires_at: isoDate.nullable(),
    revoked_at: isoDate.nullable(),
    state: z.enum(KEY_STATES).describe("By the service's clock, when it answered"),
    rotates: z.int().nullable(),
    last_used_at: isoDate.nullable().describe('Cut to the minute; null: no use is recorded'),
    is_own: z.boolean().describe('Whether it is the key of this request'),
  })
  .meta({ id: 'Key' });
export const keysAnswer = items(key);
export const issuedKeyAnswer = changed(z.object({ key_id: z.int(), api_key: shownOnce }).meta({ id: 'IssuedKey' }));
export const keyAnswer = changed(z.object({ key_id: z.int() }).meta({ id: 'KeyId' }));

export const planAnswer = answer(
  z
    .object({
      plan: z.enum(['premium', 'free']),
      currency: z.string().describe('Amounts of reports are in it'),
      broadcasts: z.object({
        month: z.string().describe('The calendar month, UTC').meta({ example: '2026-03' }),
        used: z.int(),
        limit: z.int(),
      }),
    })
    .meta({ id: 'Plan' }),
);

const goal = z.object({ target_id: z.int(), event_id: z.int(), name: z.string() }).meta({ id: 'Goal' });
export const goalsAnswer = items(goal);
export const describeEventBody = z.object({
  event_id: z.int().positive(),
  title: z.string().nullish().describe('Shown in place of the name; an empty text: the name is shown'),
  description: z.string().nullish().describe('An empty text: none'),
  hidden: z.boolean().nullish().describe('Pickers leave a hidden event out; it is counted as before'),
});
export const describedEventAnswer = changed(z.object({ event_id: z.int() }).meta({ id: 'EventId' }));
export const goalAnswer = changed(z.object({ target_id: z.int(), event_id: z.int() }).meta({ id: 'GoalId' }));
export const unitsAnswer = items(unit);
export const unitAnswer = changed(z.object({ unit_id: z.int() }).meta({ id: 'UnitId' }));
export const ratesAnswer = items(
  z.object({ from: z.string(), to: z.string(), date: z.string(), rate: z.number() }).meta({
    id: 'ExchangeRate',
    description: '`rate` is the amount of `to` for one of `from`, from the UTC day `date` on',
  }),
);

const amount = z.number().nullable();
const rule = z
  .object({
    rule_id: z.int(),
    name: z.string(),
    trigger_event_id: z.int(),
    reward_type: rewardType,
    amount,
    percent: amount,
    unit_id: z.int().nullable(),
    hold_days: z.number(),
    active: z.boolean(),
  })
  .meta({ id: 'Rule' });
export const rulesAnswer = items(rule);
export const ruleAnswer = changed(z.object({ rule_id: z.int() }).meta({ id: 'RuleId' }));

const webhook = z
  .object({ url: z.string(), set_at: isoDate, signatures: z.int().describe('2 for a day after a rotation') })
  .meta({ id: 'PayoutWebhook' });
export const webhookAnswer = answer(z.object({ webhook: webhook.nullable() }).meta({ id: 'PayoutWebhookSetting' }));
export const webhookSecretAnswer = changed(z.object({ secret: shownOnce }).meta({ id: 'WebhookSecret' }));
const delivery = z
  .object({
    payout_id: z.int(),
    webhook_id: z.string(),
    attempt: z.int(),
    at: isoDate,
    status: z.int().nullable().describe('HTTP status of the answer; null: there is none, or none yet'),
    error: z.string().nullable(),
  })
  .meta({ id: 'Delivery' });
export const deliveriesAnswer = items(delivery);
export const redeliverAnswer = changed(z.object({ payout_id: z.int() }).meta({ id: 'PayoutId' }));
