import { utcDate } from '../../domain/local-time.ts';
import type { Reader } from '../../projections/reader.ts';
import { accrualsOf } from '../../queries/referral/accrual-list.ts';
import { type BalanceRow, balanceAt, balanceOf } from '../../queries/referral/find-balance.ts';
import { historyRows } from '../../queries/referral/history-rows.ts';
import { type PayoutRow, payoutsOf } from '../../queries/referral/payout-list.ts';
import { ratesOf } from '../../queries/referral/program-figures.ts';
import { botOf } from '../access.ts';
import type { DataAsOf } from '../data-as-of.ts';
import { type AnyRoute, route } from '../route.ts';
import {
  accrualsAnswer,
  balanceAnswer,
  balanceQuery,
  exact,
  exactOrNull,
  historyAnswer,
  historyQuery,
  payoutsAnswer,
  ratesAnswer,
} from './account-schemas.ts';
import { userPageQuery, userQuery } from './schemas.ts';

/** The dependencies of the GET endpoints about accounts. */
export interface AccountReads {
  readonly db: Reader;
  readonly asOf: DataAsOf;
  /** Milliseconds UTC; decides which accruals are on hold. */
  readonly now: () => number;
}

/** A balance as the API shows it. */
export const exactBalance = ({ unit_id, available, reserved, paid, on_hold }: BalanceRow): object => ({
  unit_id,
  available: exact(available),
  reserved: exact(reserved),
  paid: exact(paid),
  on_hold: exact(on_hold),
});

/** GET /v1/referral/balance: a referrer's balance, by unit. */
export function balance({ db, asOf, now }: AccountReads): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/balance',
    operationId: 'getReferralBalance',
    summary: "A referrer's balance, a row for each unit with any accrual",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: balanceQuery,
    answer: balanceAnswer,
    exact: true,
    async handle({ request, query: { user_id, at } }) {
      const { public_key: bot } = botOf(request);
      const account = { bot, userId: user_id };
      const tables = await db.at('accounts');
      if (at === undefined)
        return { ok: true, data: { balance: (await balanceOf(tables, account, now())).map(exactBalance) } };
      const data_as_of = await asOf([tables.accounts], botOf(request));
      return { ok: true, data: { balance: (await balanceAt(tables, account, at)).map(exactBalance), data_as_of } };
    },
  });
}

/** GET /v1/referral/accruals: a referrer's accruals without reversed ones. */
export function accruals({ db, now }: AccountReads): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/accruals',
    operationId: 'listReferralAccruals',
    summary: "A referrer's accruals, newest first",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: userPageQuery,
    answer: accrualsAnswer,
    exact: true,
    async handle({ request, query: { user_id, ...page } }) {
      const rows = await accrualsOf(
        await db.at('accounts'),
        { bot: botOf(request).public_key, userId: user_id },
        page,
        now(),
      );
      const accruals = rows.map(({ id, date, referral_id, amount, unit_id, status, available_at }) => ({
        id,
        date: utcDate(date),
        referral_id,
        amount: exact(amount),
        unit_id,
        status,
        available_at: utcDateOrNull(available_at),
      }));
      return { ok: true, data: { accruals } };
    },
  });
}

/** GET /v1/referral/payouts: a referrer's payouts in every state. */
export function payouts({ db }: AccountReads): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/payouts',
    operationId: 'listReferralPayouts',
    summary: "A referrer's payouts, newest first",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: userPageQuery,
    answer: payoutsAnswer,
    exact: true,
    async handle({ request, query: { user_id, ...page } }) {
      const rows = await payoutsOf(await db.at('accounts'), { bot: botOf(request).public_key, userId: user_id }, page);
      return { ok: true, data: { payouts: rows.map(shownPayout) } };
    },
  });
}

/** A payout as the API shows it. */
export function shownPayout({ payout_id, amount, unit_id, status, method, initiated_by, ...dates }: PayoutRow): object {
  return {
    payout_id,
    amount: exact(amount),
    unit_id,
    status,
    method,
    initiated_by,
    requested_at: utcDate(dates.requested_at),
    processed_at: utcDateOrNull(dates.processed_at),
  };
}

export const utcDateOrNull = (ms: number | null): string | null => (ms === null ? null : utcDate(ms));

/** GET /v1/referral/rates: the referrer's rates for the bot's active rules. */
export function rates(db: Reader): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/rates',
    operationId: 'listReferralRates',
    summary: "What each active rule of the bot earns a referrer: the rate that was locked, else the rule's",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: userQuery,
    answer: ratesAnswer,
    exact: true,
    async handle({ request, query }) {
      const { bot_id, public_key } = botOf(request);
      const rows = await ratesOf(await db.at('accounts', 'referral'), bot_id, {
        bot: public_key,
        userId: query.user_id,
      });
      const rates = rows.map(({ reward_amount, reward_percent, ...row }) => ({
        ...row,
        reward_amount: exactOrNull(reward_amount),
        reward_percent: exactOrNull(reward_percent),
      }));
      return { ok: true, data: { rates } };
    },
  });
}

/** GET /v1/referral/history: every change of a referrer's balances, ends of holds included. */
export function history({ db, now }: AccountReads): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/history',
    operationId: 'listReferralHistory',
    summary: "The changes of a referrer's balances, each row with the balance after it",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: historyQuery,
    answer: historyAnswer,
    exact: true,
    async handle({ request, query: { user_id, unit_id: unitId, at: until, order, ...page } }) {
      const account = { bot: botOf(request).public_key, userId: user_id };
      const descending = order === 'desc';
      const rows = await historyRows(await db.at('accounts'), account, { unitId, until, descending, ...page }, now());
      const history = rows.map(({ date, amount, on_hold, available, reserved, paid, ...row }) => ({
        ...row,
        date: utcDate(date),
        amount: exact(amount),
        on_hold: exact(on_hold),
        available: exact(available),
        reserved: exact(reserved),
        paid: exact(paid),
      }));
      return { ok: true, data: { history } };
    },
  });
}
