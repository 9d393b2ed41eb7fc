import type { CommandMeta } from '../../commands/handle.ts';
import { type AppendedMark, markReferral as append, type MarkReferral } from '../../commands/mark-referral.ts';
import type { Outcome } from '../../domain/referral/attribution.ts';
import { standingOf } from '../../queries/referral/attribution.ts';
import type { ReferralSource } from '../../queries/referral/source.ts';
import { botOf } from '../access.ts';
import { ApiError, invalid } from '../errors.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import { changeWithNewCode, type ReferralChanges, type Told } from './changes.ts';
import { mark, marked } from './schemas.ts';
import type { AwaitVisits } from './visits.ts';

/** POST /v1/referral/mark-referral: a user becomes a referral without a link, unless somebody has referred the user before. */
export function markReferral(changes: ReferralChanges, awaitVisits: AwaitVisits): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/referral/mark-referral',
    operationId: 'markReferral',
    summary: 'Mark a user as referred, by a code or by the referrer; who has a referrer keeps that one',
    tag: 'Referrals',
    access: { resource: 'required' },
    body: mark,
    answer: marked,
    idempotent: true,
    errors: [404],
    async handle({ request, body }) {
      const { referral_user_id: referralUserId } = body;
      const bot = botOf(request);
      const look = async (): Promise<Foreseen> => {
        if (body.referrer_user_id === referralUserId) throw ofThemselves('referrer_user_id');
        await awaitVisits();
        return foresee(await changes.source(), bot.bot_id, body);
      };
      const answer = (referrer_id: number | null, code: string | null, already_attributed: boolean): object => ({
        ok: true,
        data: { referral_id: referralUserId, referrer_id, code, already_attributed },
      });
      return underKey<Marked, object>(
        request,
        'referral/mark-referral',
        async (stamp, first) => {
          const foreseen = (first?.command?.answer as Foreseen | undefined) ?? (await look());
          const { by, already } = foreseen;
          // For ever so: there is nothing to write, but for a repeat to be recognised by.
          if (already && stamp === undefined) return { foreseen, ...NOTHING_WRITTEN };
          const command = { bot: bot.public_key, referralUserId, by };
          const stamped = stamp && { ...stamp, answer: foreseen };
          const mark = (meta: CommandMeta) => append(changes.context, command, meta);
          return { foreseen, ...(await changeWithNewCode(changes, request, mark, stamped)) };
        },
        async ({ foreseen: { by, referrerId, already }, outcome, newCode, lagging }) => {
          if (outcome === null) {
            const code = 'code' in by ? by.code : newCode;
            return { ...answer(referrerId, code, already), ...(lagging ? { lagging } : {}) };
          }
          if (outcome.type !== 'marked') throw refusalOf(outcome);
          return answer(outcome.referrer_id, outcome.code, outcome.already_attributed);
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

/** What a mark comes to, as far as can be said before it is processed; what a repeat is told if that is not known yet. */
interface Foreseen {
  readonly by: MarkReferral['by'];
  /** Null: nobody's code. */
  readonly referrerId: number | null;
  readonly already: boolean;
}

interface Marked extends Told, Pick<AppendedMark, 'newCode' | 'repeated'> {
  readonly foreseen: Foreseen;
}

const NOTHING_WRITTEN: Omit<Marked, 'foreseen'> = { outcome: null, newCode: null, lagging: false, repeated: null };

/** The checks of decisions 5.3, in their order. @throws ApiError 400 self, 404 unknown code */
async function foresee(
  source: ReferralSource,
  botId: number,
  { referral_user_id, code, referrer_user_id }: Mark,
): Promise<Foreseen> {
  const named = { code: code ?? null, referrerId: referrer_user_id ?? null };
  const { known, owner, ownsCode, referrer } = await standingOf(source, botId, referral_user_id, named);
  if (owner === referral_user_id) throw ofThemselves('code');
  if (!known) throw unknownCode();
  const already = referrer !== null;
  const by = typeof code === 'string' ? { code } : { referrerId: owner!, needsCode: !already && !ownsCode };
  return { by, referrerId: referrer ?? owner, already };
}

function refusalOf(outcome: Outcome): Error {
  if (outcome.type !== 'mark_refused') return new TypeError(`mark-referral came to ${outcome.type}`);
  return outcome.reason === 'self' ? ofThemselves('code') : unknownCode();
}

function ofThemselves(path: string): ApiError {
  return invalid([{ path, message: 'a user cannot become a referral of themselves' }]);
}

function unknownCode(): ApiError {
  const message = 'there is no such code';
  return new ApiError(404, message, [{ path: 'code', message }]);
}
