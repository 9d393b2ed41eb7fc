import { LosslessNumber } from 'lossless-json';
import { z } from 'zod';
import { parseIso8601 } from '../../domain/intake/moment.ts';
import { PAYOUT_STATUS } from '../../domain/referral/account/state.ts';
import { rewardType } from '../../domain/referral/program.ts';
import { NO_ID, safeInteger } from '../../domain/storable-json.ts';
import { answer, changed, timestamp } from '../shapes.ts';
import { id, optionalText, text, userBody, userPageQuery, userQuery, utcTime } from './schemas.ts';

/** Schemas of the endpoints about accounts (interface.md, "Referral records"; decisions.md#referral-program). */

export const rowId = z.int();
const NO_UNIT_ID = `${NO_ID}, or null for amounts without a unit`;

/** Absent: every unit; null: amounts without a unit. */
const unit = z
  .unknown()
  .transform((value, context): number | null => {
    if (value === null) return value;
    const given = safeInteger(value);
    if (given !== undefined && given >= 1) return given;
    context.addIssue({ code: 'custom', message: NO_UNIT_ID });
    return z.NEVER;
  })
  .meta({ type: ['integer', 'null'], description: 'Absent: every unit; null: amounts without a unit' })
  .optional();

export const payoutBody = userBody
  .extend({
    unit_id: unit,
    method: z
      .enum(['webhook', 'manual'])
      .nullish()
      .transform((method) => method ?? 'webhook')
      .describe('Default webhook'),
  })
  .meta({ id: 'PayoutRequest' });

const MAX_REASON = 10_000;
const OBJECT = { error: 'must be an object' };
/** A reason that must be given. */
const givenReason = text
  .regex(/\S/, 'is required')
  .refine((given) => [...given].length <= MAX_REASON, `must have at most ${MAX_REASON} characters`)
  .meta({ example: 'The account was closed' });
const changedPayout = { payout_id: id };
export const changePayoutBody = z
  .object({ ...changedPayout, reason: optionalText(MAX_REASON).describe('Kept with the payout') }, OBJECT)
  .meta({ id: 'ChangePayoutRequest' });
export const failPayoutBody = z
  .object({ ...changedPayout, reason: givenReason.describe('Becomes the `error` of the payout') }, OBJECT)
  .meta({ id: 'FailPayoutRequest' });
export const cancelPayoutBody = z
  .object(
    {
      ...changedPayout,
      reason: givenReason.describe('Kept with the payout'),
      force: z
        .boolean()
        .nullish()
        .transform((force) => force ?? false)
        .describe('Cancel although the client may have paid. Default false'),
    },
    OBJECT,
  )
  .meta({ id: 'CancelPayoutRequest' });
export const changedPayoutAnswer = changed(z.object({ payout_id: rowId }).meta({ id: 'ChangedPayout' }));
export const reversalBody = z
  .object(
    {
      accrual_id: id,
      reason: optionalText(MAX_REASON).describe('Kept with the accrual; without effect'),
    },
    OBJECT,
  )
  .meta({ id: 'ReverseAccrualRequest' });

/** A date with seconds. @returns the last millisecond of that second, ms UTC */
export const second = z
  .string()
  .transform((text, context) => {
    const from = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? parseIso8601(`${text.replace(' ', 'T')}Z`) : null;
    if (from !== null) return from + 999;
    context.addIssue({ code: 'custom', message: 'must be a date, YYYY-MM-DD HH:MM:SS, UTC' });
    return z.NEVER;
  })
  .meta({ type: 'string', example: '2026-03-01 10:00:00' });

/** A unit of a query. */
export const unitQuery = z
  .string()
  .regex(/^(null|[1-9]\d{0,15})$/, NO_UNIT_ID)
  .transform((text) => (text === 'null' ? null : Number(text)))
  .refine((unitId) => unitId === null || Number.isSafeInteger(unitId), NO_UNIT_ID)
  .optional()
  .meta({ description: 'A unit, or `null`: amounts without a unit; absent: every unit' });

export const balanceQuery = userQuery.extend({
  at: second.optional().describe('The balance as it was then, that second included; absent: now'),
});
export const historyQuery = userPageQuery.extend({
  unit_id: unitQuery,
  at: second.optional().describe('The state at the end of this second: all commits and ends of holds up to it'),
  order: z.enum(['asc', 'desc']).default('asc').describe('`asc`: the oldest first; `desc`: the newest first'),
});

/** Money and rates: numbers with exactly their digits (decisions.md#exact-decimals). */
export const amount = z.number().meta({ example: 12.5 });
export const exact = (decimal: string): LosslessNumber => new LosslessNumber(decimal);
export const exactOrNull = (decimal: string | null): LosslessNumber | null =>
  decimal === null ? null : exact(decimal);

export const unitId = z.int().nullable();
export const balance = z
  .object({
    unit_id: unitId,
    available: amount,
    reserved: amount,
    paid: amount,
    on_hold: amount,
  })
  .meta({ id: 'Balance' });

/** Of all read models of an answer. */
export const asOf = timestamp.describe(
  'What was received up to then has been applied by all read models of the answer',
);

export const balanceAnswer = answer(
  z
    .object({ balance: z.array(balance), data_as_of: asOf.optional().describe('With `at` only') })
    .meta({ id: 'Balances' }),
);
export const payoutAnswer = changed(
  z.object({ payout_id: rowId, payout_ids: z.array(rowId) }).meta({ id: 'RequestedPayouts' }),
);
export const payoutRow = z
  .object({
    payout_id: rowId,
    amount,
    unit_id: unitId,
    status: z
      .literal(Object.values(PAYOUT_STATUS))
      .meta({ type: 'integer', description: '0 created, 1 processing, 2 paid, 3 failed, 4 cancelled' }),
    method: z.enum(['webhook', 'manual']),
    initiated_by: z.enum(['api', 'admin', 'auto']),
    requested_at: utcTime,
    processed_at: utcTime.nullable(),
  })
  .meta({ id: 'Payout' });
export const payoutsAnswer = answer(z.object({ payouts: z.array(payoutRow) }).meta({ id: 'Payouts' }));
export const reversalAnswer = changed(z.object({}).meta({ id: 'Reversal' }));
const accrual = z
  .object({
    id: rowId,
    date: utcTime,
    referral_id: z.int(),
    amount,
    unit_id: unitId,
    status: z.literal([0, 1, 2]).meta({ type: 'integer', description: '0 on hold, 1 confirmed, 2 paid out' }),
    available_at: utcTime.nullable(),
  })
  .meta({ id: 'Accrual' });
export const accrualsAnswer = answer(z.object({ accruals: z.array(accrual) }).meta({ id: 'Accruals' }));
const rate = z
  .object({
    rule_id: rowId,
    rule_name: z.string().nullable(),
    trigger_event_id: z.int(),
    reward_type: rewardType,
    reward_amount: amount.nullable(),
    reward_percent: amount.nullable(),
    unit_id: unitId,
    locked: z.boolean(),
    source: z.enum(['auto', 'manual']).nullable(),
  })
  .meta({ id: 'RewardRate' });
export const ratesAnswer = answer(z.object({ rates: z.array(rate) }).meta({ id: 'RewardRates' }));
const change = balance
  .extend({
    position: z.int().nullable().describe('The commit of the account; null: no commit, the clock'),
    date: utcTime,
    event: z.enum([
      'accrued',
      'hold_passed',
      'cancelled',
      'compensated',
      'payout_requested',
      'payout_paid',
      'payout_cancelled',
    ]),
    accrual_id: rowId.nullable(),
    payout_id: rowId.nullable(),
    amount,
    reason: z.string().nullable().describe('Why it was taken back, paid or cancelled; null: none was given'),
  })
  .meta({ id: 'BalanceChange' });
export const historyAnswer = answer(z.object({ history: z.array(change) }).meta({ id: 'BalanceHistory' }));

/** For a client in TypeScript, such as the console: a change of an answer then breaks its type check. */
export type BalanceAnswer = z.infer<typeof balanceAnswer>['data'];
export type HistoryAnswer = z.infer<typeof historyAnswer>['data'];
export type RatesAnswer = z.infer<typeof ratesAnswer>['data'];
