import { type ReferralMeta, setCodeOwners as setOwners } from '../../commands/referral/attribute-referral.ts';
import type { KnownOutcome } from '../../queries/referral/find-attribution.ts';
import { botOf } from '../access.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import { type AwaitVisits, change, deadlineOf, type ReferralChanges } from './changes.ts';
import { codeOwners, ownersSet } from './schemas.ts';

/** POST /v1/referral/set-code-owners: sets the owners of codes, all elements or none. Visits that waited for an owner count. */
export function setCodeOwners(changes: ReferralChanges, awaitVisits: AwaitVisits): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/referral/set-code-owners',
    operationId: 'setCodeOwners',
    summary: 'Say whose codes are; past visits by them count for their owners',
    tag: 'Referrals',
    access: { resource: 'required' },
    body: codeOwners,
    answer: ownersSet,
    idempotent: true,
    async handle({ request, body: elements }) {
      const bot = botOf(request);
      const deadline = deadlineOf(changes);
      return underKey(
        request,
        'referral/set-code-owners',
        async (command, first) => {
          if (first === null) await awaitVisits(botOf(request), deadline);
          const append = (meta: ReferralMeta) => setOwners(changes.context, { bot: bot.public_key, elements }, meta);
          return change(changes, request, { append, command, deadline, isRepeat: first !== null });
        },
        async ({ outcome }) => ({ ok: true, data: { results: resultsOf(outcome) } }),
      );
    },
  });
}

function resultsOf(outcome: KnownOutcome): object[] {
  if (outcome.type !== 'owners_set') throw new TypeError(`set-code-owners came to ${outcome.type}`);
  const backfilled = new Map(Object.entries(outcome.backfilled ?? {}));
  return outcome.results.map((result) => ({
    ...result,
    backfilled: result.created ? (backfilled.get(result.code) ?? 0) : 0,
  }));
}
