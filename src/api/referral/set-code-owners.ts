import { setCodeOwners as append, type SetCodeOwners } from '../../commands/set-code-owners.ts';
import { type KnownOutcome, ownersOf } from '../../queries/referral/attribution.ts';
import { botOf } from '../access.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import { change, type ReferralChanges } from './changes.ts';
import { codeOwners, ownersSet } from './schemas.ts';
import type { AwaitVisits } from './visits.ts';

type Elements = SetCodeOwners['elements'];

/** POST /v1/referral/set-code-owners: whose codes are, all elements or none. Visits that waited for an owner count. */
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
      const codes = elements.map(({ code }) => code);
      return underKey(
        request,
        'referral/set-code-owners',
        async (stamp, first) => {
          if (first === null) await awaitVisits();
          const known = await ownersOf(await changes.source(), bot.bot_id, codes);
          const command = { bot: bot.public_key, elements };
          const changed = await change(changes, request, (meta) => append(changes.context, command, meta), stamp);
          return { ...changed, known };
        },
        async ({ outcome, lagging, known }) => {
          const results = outcome === null ? foreseen(elements, known) : resultsOf(outcome);
          return { ok: true, data: { results }, ...(lagging ? { lagging } : {}) };
        },
      );
    },
  });
}

/** As far as can be said before the change was processed: no visit counts yet. */
function foreseen(elements: Elements, known: ReadonlyMap<string, number | null>): object[] {
  const owners = new Map(known);
  return elements.map(({ code, user_id }) => {
    const owner = owners.get(code) ?? null;
    owners.set(code, owner ?? user_id);
    return { code, owner_id: owner ?? user_id, created: owner === null, backfilled: 0 };
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
