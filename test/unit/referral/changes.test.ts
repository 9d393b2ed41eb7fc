import type { FastifyRequest } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCode } from '../../../src/api/referral/create-code.ts';
import { markReferral } from '../../../src/api/referral/mark-referral.ts';
import { setCodeOwners } from '../../../src/api/referral/set-code-owners.ts';
import { type EventLog, OutcomeUnknownError } from '../../../src/log/port.ts';
import { pause } from '../../../src/util/pause.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { firstReader } from '../../support/read-model-tables.ts';
import { stubPool } from '../../support/stub-pool.ts';
import { testSources } from '../../support/test-sources.ts';

/** No change of codes or referrals takes longer than MAX_WAIT_MS, on a clock that the tests move. */

const MAX_WAIT_MS = 5000;
/** Extra wait for a database that does not answer. */
const SILENT_MS = 100;

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

type Query = (text: string) => Promise<{ rows: object[] }>;
interface World {
  readonly visitsTakeMs?: number;
  readonly appendTakesMs?: number;
  readonly query?: Query;
}

const STANDING = { known: true, owner: 2, ownsCode: true, referrer: null };
const answers =
  (outcome: () => object | null): Query =>
  async (text) =>
    text.includes('outcomes')
      ? { rows: [outcome()].filter((row) => row !== null).map((row) => ({ outcome: row })) }
      : { rows: [STANDING] };

/** The endpoints over a log whose appends take a given time, or end as unknown at their deadline. */
function world({ visitsTakeMs = 0, appendTakesMs = 0, query = answers(() => null) }: World) {
  const log = memoryLog();
  const slow: EventLog = {
    ...log,
    async append(commit, { deadline = Number.POSITIVE_INFINITY } = {}) {
      const left = deadline - performance.now();
      await pause(Math.min(appendTakesMs, left));
      if (left < appendTakesMs) throw new OutcomeUnknownError('the append takes too long');
      return log.append(commit);
    },
  };
  const changes = {
    context: { log: slow, sources: testSources() },
    db: firstReader(stubPool(query)),
    progress: async () => ({ passed: await log.endCursor() }),
    maxWaitMs: MAX_WAIT_MS,
  };
  const visits = () => pause(visitsTakeMs);
  const bot = { bot_id: 1, public_key: 'b1', username: null };
  const request = { headers: {}, access: { principal: { keyId: 1, ownerId: 1 }, bot } } as unknown as FastifyRequest;
  const given = { request, reply: { header: () => {} }, query: {} };
  const endpoints = {
    mark: () =>
      markReferral(changes, visits).handle({ ...given, body: { referral_user_id: 1, referrer_user_id: 2 } } as never),
    owners: () => setCodeOwners(changes, visits).handle({ ...given, body: [{ code: 'c', user_id: 2 }] } as never),
    create: () => createCode(changes)[0]!.handle({ ...given, body: { user_id: 2 } } as never),
  };
  return { log, endpoints };
}

/** Waits for the end of a request. @returns its error, or null, and its duration */
async function told(asked: Promise<unknown>): Promise<{ error: unknown; ms: number }> {
  const started = performance.now();
  const ended = asked.then(
    () => ({ error: null, ms: performance.now() - started }),
    (error: unknown) => ({ error, ms: performance.now() - started }),
  );
  const never = pause(20 * MAX_WAIT_MS).then(() => ({ error: 'no answer', ms: Number.POSITIVE_INFINITY }));
  await vi.advanceTimersByTimeAsync(20 * MAX_WAIT_MS);
  return Promise.race([ended, never]);
}

it.each(['mark', 'owners', 'create'] as const)(
  '%s ends within MAX_WAIT_MS when the append takes longer',
  async (name) => {
    const { endpoints } = world({ visitsTakeMs: 1000, appendTakesMs: 60_000 });
    const { error, ms } = await told(endpoints[name]());
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(ms).toBeLessThanOrEqual(MAX_WAIT_MS + SILENT_MS);
  },
);

it.each(['mark', 'owners'] as const)(
  '%s is 503 and appends nothing when visits took the time that an append needs',
  async (name) => {
    const { endpoints, log } = world({ visitsTakeMs: MAX_WAIT_MS - 100 });
    const { error, ms } = await told(endpoints[name]());
    expect(error).toMatchObject({ status: 503, retryAfter: 1 });
    expect(ms).toBeLessThanOrEqual(MAX_WAIT_MS);
    expect(log.commits.flat()).toEqual([]);
  },
);

it('mark-referral is 503 and appends nothing if the database does not answer about the code', async () => {
  const { endpoints, log } = world({ query: () => new Promise(() => {}) });
  const { error, ms } = await told(endpoints.mark());
  expect(error).toMatchObject({ status: 503, retryAfter: 1 });
  expect(ms).toBeLessThanOrEqual(MAX_WAIT_MS);
  expect(log.commits.flat()).toEqual([]);
});

it('create-code tries no other code once too little time is left for an append', async () => {
  const taken = { type: 'code_created', created: false };
  const { endpoints, log } = world({ appendTakesMs: MAX_WAIT_MS - 100, query: answers(() => taken) });
  const { error, ms } = await told(endpoints.create());
  expect(error).toMatchObject({ status: 503 });
  expect(ms).toBeLessThanOrEqual(MAX_WAIT_MS);
  expect(log.commits.flat()).toHaveLength(1);
});
