import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { createChangeWait } from '../../../src/api/wait-for-change.ts';
import { stubPool } from '../../support/stub-pool.ts';

/** The warnings while waiting for a change, with a database that answers with `query`. */
async function warningsWith(query: () => Promise<never>): Promise<unknown[]> {
  const warnings: unknown[] = [];
  const request = { log: { warn: (...words: unknown[]) => warnings.push(words) } } as unknown as FastifyRequest;
  await createChangeWait(stubPool(query), 'reports')(request, '0:1');
  return warnings;
}

it('a change that is in the log is answered although the database fails, and the failure is logged', async () => {
  const gone = new Error('connection terminated');
  expect(await warningsWith(() => Promise.reject(gone))).toEqual([[{ err: gone }, expect.any(String)]]);
});

it('a change waits for a silent database no longer than for a late one', async () => {
  const started = performance.now();
  expect(await warningsWith(() => new Promise(() => {}))).toHaveLength(1);
  expect(performance.now() - started).toBeLessThan(4000);
});
