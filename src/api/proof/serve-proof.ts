import { Readable } from 'node:stream';
import { z } from 'zod';
import { whileTaken } from '../../administration/export/while-taken.ts';
import { proofBytes } from '../../administration/proof/proof-bytes.ts';
import type { ProofFile } from '../../administration/proof/prove-account.ts';
import { botOf, principalOf } from '../access.ts';
import { ApiError } from '../api-errors.ts';
import { callerGone } from '../caller-gone.ts';
import { second } from '../referral/account-schemas.ts';
import { userQuery } from '../referral/schemas.ts';
import { type AnyRoute, route } from '../route.ts';
import { answer } from '../shapes.ts';
import type { ProveForCaller } from './prove-for-caller.ts';

/** A caller that takes nothing for this time counts as gone. */
const WAITS = { stallMs: 30_000, totalMs: 300_000 };

const NO_PROOFS = 'this service keeps no proofs; its operator turns them on with PROOF=on';

const proofQuery = userQuery.extend({
  at: second.optional().describe('The balance as it was then, that second included; absent: at the last checkpoint'),
  with_events: z
    .enum(['true', 'false'])
    .default('false')
    .transform((given) => given === 'true')
    .meta({
      type: 'boolean',
      description:
        'Add the commits of the events that earned. They may hold events of other users, so it needs an owner key',
    }),
});

const provenCommit = z
  .object({
    index: z.int().describe('Its place in the tree of the partition'),
    body: z.string().describe('The stored text, byte for byte'),
    path: z.array(z.int()).describe('Indexes in `hashes` of the siblings, from the leaf up'),
  })
  .meta({ id: 'ProvenCommit' });
const proofAnswer = answer(
  z
    .object({
      format: z.literal('botledger-proof/v1'),
      stream: z.string(),
      at: z
        .int()
        .nullable()
        .describe('Milliseconds UTC up to when the verifier folds the account; null: the checkpoint'),
      policy: z.string(),
      vrf: z.string(),
      entry: z.string(),
      checkpoint: z.string(),
      map: z.object({ revision: z.int(), leaves: z.int(), steps: z.array(z.array(z.union([z.int(), z.string()]))) }),
      tree: z.int(),
      missing: z
        .array(z.string())
        .optional()
        .describe('With `with_events` only: the commits of events that earned and that the log lacks, by id'),
      commits: z.array(provenCommit),
      causes: z.array(provenCommit),
      hashes: z.array(z.string()),
    })
    .meta({ id: 'ProofFile' }),
);

/** GET /v1/referral/proof (decisions.md#proof-api): the proof file of an account, which bin/verify.mjs checks. */
export function proof(prove: ProveForCaller | null): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/proof',
    operationId: 'getReferralProof',
    summary: "A proof of a referrer's balance, which anybody checks without the service",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: proofQuery,
    answer: proofAnswer,
    async handle({ request, reply, query: { user_id: userId, at = null, with_events: withEvents } }) {
      const bot = botOf(request).public_key;
      if (withEvents && principalOf(request).kind !== 'owner')
        throw new ApiError(403, 'with_events needs an owner key: the commits of events may hold events of other users');
      if (prove === null) throw new ApiError(404, NO_PROOFS);
      const file = await prove(reply, { bot, userId, at, withEvents }, callerGone(reply));
      void reply.type('application/json; charset=utf-8').headers({
        'content-disposition': `attachment; filename="proof-${userId}.json"`,
        'cache-control': 'no-store',
      });
      return Readable.from(
        whileTaken(bytesOf(file), WAITS, () => reply.raw.destroy()),
        { objectMode: false },
      );
    },
  });
}

/** The answer in parts, so that a long file does not make other requests wait. */
async function* bytesOf(file: ProofFile): AsyncGenerator<Uint8Array> {
  yield Buffer.from('{"ok":true,"data":');
  yield* proofBytes(file);
  yield Buffer.from('}');
}
