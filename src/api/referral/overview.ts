import type { FastifyReply } from 'fastify';
import type pg from 'pg';
import { utcDate } from '../../domain/local-time.ts';
import type { Reader } from '../../projections/reader.ts';
import { listUnits } from '../../queries/catalog/bots.ts';
import { attemptsOf } from '../../queries/referral/find-deliveries.ts';
import { latestPayouts } from '../../queries/referral/payout-list.ts';
import { programAmounts, programRules, programSteps } from '../../queries/referral/program-figures.ts';
import { NO_NAMES, namesOf, referrerOf, referrersOf } from '../../queries/referral/referrers.ts';
import type { ListSearch } from '../../queries/users/search-users.ts';
import { botOf } from '../access.ts';
import { failedCount } from '../api-errors.ts';
import { callerGone } from '../caller-gone.ts';
import type { DataAsOf } from '../data-as-of.ts';
import { wordsOf } from '../page.ts';
import { type AnyRoute, route } from '../route.ts';
import { exactBalance, shownPayout } from './account-reads.ts';
import { exact, exactOrNull } from './account-schemas.ts';
import {
  allPayoutsAnswer,
  allPayoutsQuery,
  programAnswer,
  referrersAnswer,
  referrersQuery,
  totalsAnswer,
} from './overview-schemas.ts';

/** The sources of the lists over all referrers of a bot. */
export interface OverviewReads {
  /** Connections only for counts and searches, so that other requests do not wait for these. */
  readonly counts: pg.Pool;
  readonly db: Reader;
  readonly asOf: DataAsOf;
  /** Milliseconds UTC; decides which accruals are on hold. */
  readonly now: () => number;
}

const SEARCH_TIMEOUT_MS = 5000;

/** Answers a list, or only the matching rows if the search has words. @throws ApiError 502 the search takes too long */
async function searched<T>(
  { counts, db }: Pick<OverviewReads, 'counts' | 'db'>,
  reply: FastifyReply,
  text: string,
  list: (search: ListSearch | undefined) => Promise<T>,
): Promise<T> {
  const words = wordsOf(text);
  if (words.length === 0) return list(undefined);
  const signal = callerGone(reply);
  try {
    return await list({ counts, others: db.pool, words, timeoutMs: SEARCH_TIMEOUT_MS, signal });
  } catch (error) {
    throw failedCount(error, signal, 'searching the users');
  }
}

/** GET /v1/referral/referrers (decisions.md#referrers). */
export function referrers({ db, asOf, now, counts }: OverviewReads): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/referrers',
    operationId: 'listReferrers',
    summary: "The bot's referrers with their balances, by referrals or by an amount of a unit",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: referrersQuery,
    answer: referrersAnswer,
    exact: true,
    errors: [502],
    async handle({ request, reply, query: { order, unit_id, user_id: userId, search, ...page } }) {
      const { bot_id: botId, public_key: bot } = botOf(request);
      const tables = await db.at('accounts', 'referral', 'users');
      const data_as_of = await asOf([tables.accounts, tables.referral, tables.users], botOf(request));
      const by = order === 'referrals' ? { order } : { order, unitId: unit_id ?? null };
      const list = () =>
        searched({ counts, db }, reply, search, (found) =>
          referrersOf(tables, { botId, bot }, { by, search: found, ...page }, now()),
        );
      const rows = userId === undefined ? await list() : await referrerOf(tables, { botId, bot }, userId, now());
      const referrers = rows.map(({ balance, ...row }) => ({
        ...row,
        balance: balance.map((each) => ({ ...exactBalance(each), earned: exact(each.earned) })),
      }));
      return { ok: true, data: { referrers, data_as_of } };
    },
  });
}

/** GET /v1/referral/all-payouts (decisions.md#all-payouts). */
export function allPayouts({ db, asOf, counts }: OverviewReads): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/all-payouts',
    operationId: 'listAllReferralPayouts',
    summary: 'The payouts of all referrers, each with its webhook deliveries',
    tag: 'Referrals',
    access: { resource: 'required' },
    query: allPayoutsQuery,
    answer: allPayoutsAnswer,
    exact: true,
    errors: [502],
    async handle({
      request,
      reply,
      query: { user_id: userId, payout_id: payoutId, unit_id: unitId, search, ...query },
    }) {
      const { bot_id: botId, public_key: bot } = botOf(request);
      const tables = await db.at('accounts', 'referral', 'users');
      const data_as_of = await asOf([tables.accounts, tables.users], botOf(request));
      const rows = await searched({ counts, db }, reply, search, (found) => {
        const of = found && { ...found, botId };
        return latestPayouts(tables, bot, { userId, payoutId, unitId, search: of, ...query });
      });
      const payoutIds = rows.map(({ payout_id }) => payout_id);
      const userIds = [...new Set(rows.map(({ user_id }) => user_id))];
      const [attempts, names] = await Promise.all([
        attemptsOf(tables, bot, payoutIds),
        namesOf(tables, botId, userIds),
      ]);
      const payouts = rows.map((row) => ({
        ...shownPayout(row),
        user_id: row.user_id,
        ...(names.get(row.user_id) ?? NO_NAMES),
        error: row.error,
        reason: row.reason,
        deliveries: attempts
          .filter(({ payout_id }) => payout_id === row.payout_id)
          .map(({ attempt, at, status, error }) => ({ attempt, at: utcDate(at), status, error })),
      }));
      return { ok: true, data: { payouts, data_as_of } };
    },
  });
}

/** GET /v1/referral/program (decisions.md#program). */
export function program(db: Reader): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/program',
    operationId: 'getReferralProgram',
    summary: "The bot's reward rules, and the units of its amounts",
    tag: 'Referrals',
    access: { resource: 'required' },
    answer: programAnswer,
    exact: true,
    async handle({ request }) {
      const { bot_id } = botOf(request);
      const [rows, units] = await Promise.all([
        db.at('referral', 'events').then((tables) => programRules(tables, bot_id)),
        db.at('catalog').then((tables) => listUnits(tables, bot_id)),
      ]);
      const rules = rows.map(({ amount, percent, hold_days, ...rule }) => ({
        ...rule,
        amount: exactOrNull(amount),
        percent: exactOrNull(percent),
        hold_days: exact(hold_days),
      }));
      return { ok: true, data: { rules, units } };
    },
  });
}

/** GET /v1/referral/totals (decisions.md#referral-totals). */
export function totals({ db, asOf }: OverviewReads): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/totals',
    operationId: 'getReferralTotals',
    summary: 'The steps of the program from visits by a link to rewards, and the amounts of all accounts',
    tag: 'Referrals',
    access: { resource: 'required' },
    answer: totalsAnswer,
    exact: true,
    async handle({ request }) {
      const { bot_id: botId, public_key: bot } = botOf(request);
      const tables = await db.at('accounts', 'referral', 'events');
      const data_as_of = await asOf([tables.accounts, tables.referral, tables.events], botOf(request));
      const [steps, rows] = await Promise.all([programSteps(tables, { botId, bot }), programAmounts(tables, bot)]);
      const amounts = rows.map(({ unit_id, ...sums }) => ({
        unit_id,
        earned: exact(sums.earned),
        reserved: exact(sums.reserved),
        paid: exact(sums.paid),
      }));
      return { ok: true, data: { ...steps, amounts, data_as_of } };
    },
  });
}
