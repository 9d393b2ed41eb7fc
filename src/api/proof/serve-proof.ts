import { finished, Readable } from 'node:stream';
import PQueue from 'p-queue';
import { z } from 'zod';
import { whileTaken } from '../../administration/export/while-taken.ts';
import {
  NoProofError,
  type ProofContext,
  type ProofFile,
  proveAccount,
} from '../../administration/proof/prove-account.ts';
import { botOf, principalOf } from '../access.ts';
import { ApiError, unavailable } from '../api-errors.ts';
import { callerGone } from '../caller-gone.ts';
import { second } from '../referral/account-schemas.ts';
import { userQuery } from '../referral/schemas.ts';
import { type AnyRoute, route } from '../route.ts';
import { answer } from '../shapes.ts';

/** Gets the parts that proofs are made from. Null: the service keeps no proofs. */
export type ProofSource = (() => Promise<Omit<ProofContext, 'signal'>>) | null;

/** The limits of decisions.md#proof-api. */
const MAX_COMMITS = 20_000;
const MADE_AT_ONCE = 2;
/** Requests that wait, whose proof is being made, or that have not taken it yet. Each of these proofs may have 20 MB. */
const MAX_UNDER_WAY = 16;
const MADE_WITHIN_MS = 60_000;
/** A caller that takes nothing for this time counts as gone. */
const WAITS = { stallMs: 30_000, totalMs: 300_000 };
/** Elements of a list that are written in one go, about 1 ms. */
const PART = 200;

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
      commits: z.array(provenCommit),
      causes: z.array(provenCommit),
      hashes: z.array(z.string()),
    })
    .meta({ id: 'ProofFile' }),
);

/** GET /v1/referral/proof (decisions.md#proof-api): the proof file of an account, which bin/verify.mjs checks. */
export function proof(source: ProofSource): AnyRoute {
  const queue = new PQueue({ concurrency: MADE_AT_ONCE });
  let underWay = 0;
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
      if (source === null) throw new ApiError(404, NO_PROOFS);
      if (underWay >= MAX_UNDER_WAY) throw unavailable('too many proofs are being made, try again');
      underWay++;
      finished(reply.raw, () => underWay--);
      const gone = callerGone(reply);
      const limit = AbortSignal.timeout(MADE_WITHIN_MS);
      const asked = { bot, userId, at, withEvents, maxCommits: MAX_COMMITS };
      const make = async (): Promise<ProofFile> =>
        proveAccount({ ...(await source()), signal: AbortSignal.any([gone, limit]) }, asked);
      const file = await queue.add(make, { throwOnTimeout: true }).catch((error: unknown) => {
        throw problemOf(error, gone, limit);
      });
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

function problemOf(error: unknown, gone: AbortSignal, limit: AbortSignal): unknown {
  if (gone.aborted) return unavailable('the caller has gone');
  if (limit.aborted)
    return unavailable(`the proof was not made within ${MADE_WITHIN_MS / 1000} s; botledger audit prove has no limit`);
  if (!(error instanceof NoProofError)) return error;
  switch (error.reason) {
    case 'no account':
      return new ApiError(404, error.message);
    case 'not yet':
      return new ApiError(503, error.message, [], 10);
    case 'too long':
      return new ApiError(400, `${error.message}; botledger audit prove has no limit`);
    default:
      return error;
  }
}

/** The answer in parts, so that a long file does not make other requests wait. */
async function* bytesOf({ commits, causes, hashes, ...rest }: ProofFile): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`{"ok":true,"data":${JSON.stringify(rest).slice(0, -1)}`);
  for (const [name, list] of Object.entries({ commits, causes, hashes })) {
    yield Buffer.from(`,"${name}":[`);
    for (let start = 0; start < list.length; start += PART)
      yield Buffer.from((start === 0 ? '' : ',') + JSON.stringify(list.slice(start, start + PART)).slice(1, -1));
    yield Buffer.from(']');
  }
  yield Buffer.from('}}');
}
