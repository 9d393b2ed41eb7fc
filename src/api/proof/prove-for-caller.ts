import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';
import PQueue from 'p-queue';
import {
  NoProofError,
  type ProofContext,
  type ProofFile,
  type ProofRequest,
  proveAccount,
} from '../../administration/proof/prove-account.ts';
import { ApiError, unavailable } from '../api-errors.ts';

/** Gets the parts that proofs are made from. Null: the service keeps no proofs. */
export type ProofSource = (() => Promise<Omit<ProofContext, 'signal'>>) | null;

/** Makes a proof for the caller of a request, within the limits of decisions.md#proof-api. @param gone aborts when the caller has gone @throws ApiError */
export type ProveForCaller = (
  reply: FastifyReply,
  asked: Omit<ProofRequest, 'maxCommits'>,
  gone: AbortSignal,
) => Promise<ProofFile>;

const MAX_COMMITS = 20_000;
const MADE_AT_ONCE = 2;
/** Requests that wait, whose proof is being made, or that have not taken it yet. Each of these proofs may have 20 MB. */
const MAX_UNDER_WAY = 16;
const MADE_WITHIN_MS = 60_000;

/** @returns null: the service keeps no proofs */
export function proveForCaller(source: ProofSource): ProveForCaller | null {
  if (source === null) return null;
  const queue = new PQueue({ concurrency: MADE_AT_ONCE });
  let underWay = 0;
  return async (reply, asked, gone) => {
    if (underWay >= MAX_UNDER_WAY) throw unavailable('too many proofs are being made, try again');
    underWay++;
    finished(reply.raw, () => underWay--);
    const limit = AbortSignal.timeout(MADE_WITHIN_MS);
    const make = async (): Promise<ProofFile> => {
      const context = { ...(await source()), signal: AbortSignal.any([gone, limit]) };
      return proveAccount(context, { ...asked, maxCommits: MAX_COMMITS });
    };
    return queue.add(make, { throwOnTimeout: true }).catch((error: unknown) => {
      throw problemOf(error, gone, limit);
    });
  };
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
