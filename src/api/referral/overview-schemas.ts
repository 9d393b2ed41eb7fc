import { z } from 'zod';
import { PAYOUT_STATUS } from '../../domain/referral/account/state.ts';
import { rewardType } from '../../domain/referral/program.ts';
import { PAYOUT_ORDERS } from '../../queries/referral/payout-list.ts';
import { REFERRER_ORDERS } from '../../queries/referral/referrers.ts';
import { page, search } from '../page.ts';
import { answer } from '../shapes.ts';
import { amount, asOf, balance, payoutRow, rowId, unitId, unitQuery } from './account-schemas.ts';
import { userIdText, userPageQuery, userQuery, utcTime } from './schemas.ts';

/**
 * Schemas of the lists over all referrers of a bot, and of the records behind an account (decisions.md#referral-lists).
 */

const user = z.int();
const name = z.string().nullable().describe('Null: unknown or erased');
const names = { first_name: name, username: name };

/** Amounts of different units have no order. */
const NEEDS_UNIT = {
  path: ['unit_id'],
  error: 'is required with this order: a unit, or null for amounts without a unit',
};

export const referrersQuery = z
  .object({
    order: z
      .enum(REFERRER_ORDERS)
      .default('referrals')
      .describe('The largest first; all but `referrals` are in the unit `unit_id`. `balance`: available and on hold'),
    unit_id: unitQuery,
    user_id: userIdText.optional().describe('Only this user; order and search are then without effect'),
    search,
    ...page,
  })
  .refine(
    ({ order, unit_id, user_id }) => order === 'referrals' || user_id !== undefined || unit_id !== undefined,
    NEEDS_UNIT,
  );

const referrer = z
  .object({
    user_id: user,
    ...names,
    referrals: z.int().describe('Users that the user referred'),
    balance: z.array(
      balance
        .extend({ earned: amount.describe('All accruals that were not cancelled') })
        .meta({ id: 'ReferrerBalance' }),
    ),
  })
  .meta({ id: 'Referrer' });
export const referrersAnswer = answer(
  z.object({ referrers: z.array(referrer), data_as_of: asOf }).meta({ id: 'Referrers' }),
);

const positive = (label: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/, 'must be a positive integer')
    .transform(Number)
    .refine(Number.isSafeInteger, 'must be a positive integer')
    .optional()
    .meta({ type: 'integer', minimum: 1, description: label });

export const allPayoutsQuery = z
  .object({
    user_id: userIdText.optional().describe('Absent: of every referrer'),
    status: z
      .enum(['0', '1', '2', '3', '4'])
      .transform(Number)
      .optional()
      .meta({ type: 'integer', enum: Object.values(PAYOUT_STATUS), description: 'Absent: of every status' }),
    payout_id: positive('Only this payout; absent: all'),
    unit_id: unitQuery,
    search,
    order: z.enum(PAYOUT_ORDERS).default('newest').describe('By the time of the request; `largest`: by the amount'),
    ...page,
  })
  .refine(({ order, unit_id }) => order !== 'largest' || unit_id !== undefined, NEEDS_UNIT);

const attempt = z
  .object({
    attempt: z.int(),
    at: utcTime,
    status: z.int().nullable().describe("HTTP status of the client's answer; null: none, or none yet"),
    error: z.string().nullable(),
  })
  .meta({ id: 'DeliveryAttempt' });
const detailedPayout = payoutRow
  .extend({
    user_id: user,
    ...names,
    error: z.string().nullable().describe('Why the last attempt, or the payout, failed'),
    reason: z
      .string()
      .nullable()
      .describe('Why an administrator last confirmed, retried or cancelled it; null: none was given'),
    deliveries: z.array(attempt),
  })
  .meta({ id: 'DetailedPayout' });
export const allPayoutsAnswer = answer(
  z.object({ payouts: z.array(detailedPayout), data_as_of: asOf }).meta({ id: 'DetailedPayouts' }),
);

export const entriesQuery = userPageQuery.extend({
  payout_id: positive('Only accruals that this payout has; absent: all'),
  accrual_id: z
    .string()
    .regex(/^[1-9]\d{0,15}(,[1-9]\d{0,15}){0,199}$/, 'must be positive integers, at most 200, with commas between')
    .transform((text) => text.split(',').map(Number))
    .refine((ids) => ids.every(Number.isSafeInteger), 'must be positive integers, at most 200, with commas between')
    .optional()
    .meta({ type: 'string', description: 'Only these accruals, with commas between; absent: all', example: '7,8' }),
});
const entry = z
  .object({
    accrual_id: rowId,
    position: z.int().describe('The commit of the account that recorded it'),
    date: utcTime.describe('Receipt of the event that earned it'),
    recorded_at: utcTime,
    available_at: utcTime,
    referral_id: user,
    rule_id: rowId,
    rule_name: z.string().nullable(),
    amount,
    unit_id: unitId,
    payout_id: rowId.nullable().describe('The payout that claims it now'),
    compensates: rowId.nullable().describe('The accrual that it makes good'),
    compensated_by: rowId.nullable().describe('The accrual that makes it good'),
    reversed_at: utcTime.nullable(),
    reason: z.string().nullable().describe('Why it was reversed; of a compensation: why its accrual was'),
  })
  .meta({ id: 'DetailedAccrual' });
export const entriesAnswer = answer(z.object({ entries: z.array(entry) }).meta({ id: 'DetailedAccruals' }));

export const chainQuery = userQuery
  .extend({
    position: positive('Of the commit before the first one to list; absent: from the beginning'),
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
      .optional()
      .describe('Hash of that commit'),
    limit: page.limit,
  })
  .refine(({ position, hash }) => (position === undefined) === (hash === undefined), {
    path: ['hash'],
    error: 'position and hash come together',
  });
const link = z.object({ position: z.int(), hash: z.string() }).meta({ id: 'ChainLink' });
const commit = link
  .extend({
    date: utcTime,
    prev: z.string().describe('Hash of the commit before it; empty: it is the first'),
    events: z.array(z.string()),
  })
  .meta({ id: 'AccountCommit' });
export const chainAnswer = answer(
  z
    .object({
      head: link.nullable().describe('The last commit of the account; null: it has none'),
      commits: z.array(commit),
    })
    .meta({ id: 'AccountChain' }),
);

const rule = z
  .object({
    rule_id: rowId,
    name: z.string(),
    trigger_event_id: z.int(),
    trigger_event: z.string().nullable(),
    reward_type: rewardType,
    amount: amount.nullable(),
    percent: amount.nullable(),
    unit_id: unitId,
    hold_days: amount,
    active: z.boolean(),
  })
  .meta({ id: 'ProgramRule' });
export const unit = z
  .object({
    unit_id: rowId,
    code: z.string(),
    name: z.string().nullable(),
    scale: z.int().describe('Decimals of a normal unit'),
  })
  .meta({ id: 'Unit' });
export const programAnswer = answer(
  z.object({ rules: z.array(rule), units: z.array(unit) }).meta({ id: 'ReferralProgram' }),
);

export const totalsAnswer = answer(
  z
    .object({
      visited: z.int().describe('Users who opened a link whose code has an owner'),
      came: z.int().describe('Users of them who were new to the bot'),
      referred: z.int().describe('Users with a referrer, by a link or marked'),
      rewarded: z.int().describe('Users who earned a referrer a reward that was not taken back'),
      referrers: z.int().describe('Users who referred at least one'),
      amounts: z.array(
        z.object({ unit_id: unitId, earned: amount, reserved: amount, paid: amount }).meta({ id: 'ReferralAmounts' }),
      ),
      data_as_of: asOf,
    })
    .meta({ id: 'ReferralTotals' }),
);

/** For a client in TypeScript, such as the console: a change of an answer then breaks its type check. */
export type ReferrersAnswer = z.infer<typeof referrersAnswer>['data'];
export type AllPayoutsAnswer = z.infer<typeof allPayoutsAnswer>['data'];
export type EntriesAnswer = z.infer<typeof entriesAnswer>['data'];
export type ChainAnswer = z.infer<typeof chainAnswer>['data'];
export type ProgramAnswer = z.infer<typeof programAnswer>['data'];
export type TotalsAnswer = z.infer<typeof totalsAnswer>['data'];
