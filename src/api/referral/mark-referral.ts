import {
  type MarkReferral,
  markReferral as mark,
  markedBy,
  type ReferralMeta,
} from '../../commands/referral/attribute-referral.ts';
import type { Outcome } from '../../domain/referral/attribution.ts';
import type { Appended } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { type KnownOutcome, standingOf } from '../../queries/referral/find-attribution.ts';
import { inTime } from '../../util/in-time.ts';
import { botOf } from '../access.ts';
import { ApiError, invalid, unavailable } from '../api-errors.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import { type AwaitVisits, changeWithNewCode, deadlineOf, leftUntil, type ReferralChanges } from './changes.ts';
import { markBody, marked } from './schemas.ts';

/** POST /v1/referral/mark-referral: a user becomes a referral without a visit, unless the user has a referrer already. */
export function markReferral(changes: ReferralChanges, awaitVisits: AwaitVisits): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/referral/mark-referral',
    operationId: 'markReferral',
    summary: 'Mark a user as referred, by a code or by the referrer; who has a referrer keeps that one',
    tag: 'Referrals',
    access: { resource: 'required' },
    body: markBody,
    answer: marked,
    idempotent: true,
    errors: [404],
    async handle({ request, body }) {
      const { referral_user_id: referralUserId } = body;
      const bot = botOf(request);
      const deadline = deadlineOf(changes);
      const checkMark = async (): Promise<Checked> => {
        if (body.referrer_user_id === referralUserId) throw ofThemselves('referrer_user_id');
        await awaitVisits(botOf(request), deadline);
        return inTime(check(changes.db, bot.bot_id, body), leftUntil(deadline), notRead);
      };
      return underKey<MarkedOutcome, object>(
        request,
        'referral/mark-referral',
        async (command, first) => {
          const { by, already } = first === null ? await checkMark() : { by: markedBy(first), already: null };
          // The referrer never changes, so an unkeyed request appends nothing.
          if (already !== null && command === undefined) return { outcome: already, repeated: null };
          const append = (meta: ReferralMeta) =>
            mark(changes.context, { bot: bot.public_key, referralUserId, by }, meta);
          return changeWithNewCode(changes, request, { append, command, deadline, isRepeat: first !== null });
        },
        async ({ outcome }) => {
          if (outcome.type !== 'marked') throw refusalOf(outcome);
          const { referrer_id, code, already_attributed } = outcome;
          return { ok: true, data: { referral_id: referralUserId, referrer_id, code, already_attributed } };
        },
      );
    },
  });
}

interface Mark {
  readonly referral_user_id: number;
  readonly code?: string | null | undefined;
  readonly referrer_user_id?: number | null | undefined;
}

type MarkedOutcome = Pick<Appended, 'repeated'> & { readonly outcome: KnownOutcome };

interface Checked {
  readonly by: MarkReferral['by'];
  /** The answer for a user who has a referrer; null: the user has none yet. */
  readonly already: Outcome | null;
}

/** The checks of decisions.md#mark-checks, in their order. @throws ApiError 400 self, 404 unknown code */
async function check(db: Reader, botId: number, { referral_user_id, code, referrer_user_id }: Mark): Promise<Checked> {
  const named = { code: code ?? null, referrerId: referrer_user_id ?? null };
  const { known, owner, ownsCode, referrer } = await standingOf(
    await db.at('referral'),
    botId,
    referral_user_id,
    named,
  );
  if (owner === referral_user_id) throw ofThemselves('code');
  if (!known) throw unknownCode();
  const already: Outcome | null =
    referrer === null ? null : { type: 'marked', referrer_id: referrer, code: named.code, already_attributed: true };
  const by = typeof code === 'string' ? { code } : { referrerId: owner!, needsCode: already === null && !ownsCode };
  return { by, already };
}

function refusalOf(outcome: Outcome): Error {
  if (outcome.type !== 'mark_refused') return new TypeError(`mark-referral came to ${outcome.type}`);
  return outcome.reason === 'self' ? ofThemselves('code') : unknownCode();
}

function notRead(): ApiError {
  return unavailable('the database did not answer in time, try again');
}

function ofThemselves(path: string): ApiError {
  return invalid([{ path, message: 'a user cannot become a referral of themselves' }]);
}

function unknownCode(): ApiError {
  const message = 'there is no such code';
  return new ApiError(404, message, [{ path: 'code', message }]);
}
