import { utcDate } from '../../domain/local-time.ts';
import { accountStream } from '../../domain/streams.ts';
import { BrokenChainError, EMPTY_STREAM, type EventLog, type StreamHead } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { entriesOf } from '../../queries/referral/entries.ts';
import { botOf } from '../access.ts';
import { ApiError } from '../api-errors.ts';
import { type AnyRoute, route } from '../route.ts';
import { utcDateOrNull } from './account-reads.ts';
import { exact } from './account-schemas.ts';
import { chainAnswer, chainQuery, entriesAnswer, entriesQuery } from './overview-schemas.ts';

/** GET /v1/referral/entries (decisions.md#entries). */
export function entries(db: Reader): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/entries',
    operationId: 'listReferralEntries',
    summary: 'Every accrual of an account, also reversed ones, with the payout that claims it',
    tag: 'Referrals',
    access: { resource: 'required' },
    query: entriesQuery,
    answer: entriesAnswer,
    exact: true,
    async handle({ request, query: { user_id: userId, payout_id: payoutId, accrual_id: accrualIds, ...page } }) {
      const { bot_id, public_key: bot } = botOf(request);
      const rows = await entriesOf(
        await db.at('accounts', 'referral'),
        bot_id,
        { bot, userId },
        { payoutId, accrualIds, ...page },
      );
      const entries = rows.map(({ amount, date, recorded_at, available_at, reversed_at, ...row }) => ({
        ...row,
        amount: exact(amount),
        date: utcDate(date),
        recorded_at: utcDate(recorded_at),
        available_at: utcDate(available_at),
        reversed_at: utcDateOrNull(reversed_at),
      }));
      return { ok: true, data: { entries } };
    },
  });
}

/** GET /v1/referral/chain (decisions.md#account-chain): reads the log, so an answer is as certain as the log. */
export function chain(log: EventLog): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/chain',
    operationId: 'getReferralChain',
    summary: "The commits of an account's stream with their hashes, oldest first",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: chainQuery,
    answer: chainAnswer,
    errors: [409],
    async handle({ request, query: { user_id, position, hash, limit } }) {
      const stream = accountStream(botOf(request).public_key, user_id);
      const from = position === undefined ? EMPTY_STREAM : { revision: position, hash: hash! };
      const head = (await log.streamHeads([stream])).get(stream);
      if (from !== EMPTY_STREAM) checkContinues(from, head);
      const commits = head === undefined ? [] : await after(stream, from, limit);
      return {
        ok: true,
        data: {
          head: head === undefined ? null : { position: head.revision, hash: head.hash },
          commits: commits.map(({ revision, at, hash, prev, events }) => ({
            position: revision!,
            date: utcDate(at),
            hash: hash!,
            prev: prev!,
            events: events.map(({ type }) => type),
          })),
        },
      };
    },
  });

  /** @throws ApiError 409 the log has another hash at `from` */
  async function after(stream: string, from: StreamHead, limit: number) {
    try {
      return (await log.read(stream, from, limit)).commits;
    } catch (error) {
      // A break further on is a damaged log, not the caller's mistake.
      if (error instanceof BrokenChainError && from !== EMPTY_STREAM && error.revision === from.revision + 1)
        throw otherHash(from);
      throw error;
    }
  }
}

/** @throws ApiError 409 the stream is shorter, or ends there with another hash */
function checkContinues(from: StreamHead, head: StreamHead | undefined): void {
  const isHead = from.revision === head?.revision;
  if (head === undefined || from.revision > head.revision || (isHead && from.hash !== head.hash)) throw otherHash(from);
}

function otherHash({ revision }: StreamHead): ApiError {
  const message = `the account has no commit ${revision} with this hash`;
  return new ApiError(409, message, [{ path: 'hash', message }]);
}
