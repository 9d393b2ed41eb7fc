import { utcDate } from '../../domain/local-time.ts';
import { historyRows } from '../../queries/referral/history.ts';
import { botOf } from '../access.ts';
import { type AnyRoute, route } from '../route.ts';
import type { AccountReads } from './account-reads.ts';
import { exact, historyAnswer, historyQuery } from './account-schemas.ts';

/** GET /v1/referral/history: all that ever moved a referrer's balances, the clock included. */
export function history({ source, now }: AccountReads): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/history',
    operationId: 'listReferralHistory',
    summary: "What moved a referrer's balances, oldest first, each row with the balance behind it",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: historyQuery,
    answer: historyAnswer,
    exact: true,
    async handle({ request, query: { user_id, unit_id: unitId, at: until, ...page } }) {
      const account = { bot: botOf(request).public_key, userId: user_id };
      const rows = await historyRows(await source(), account, { unitId, until, ...page }, now());
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
