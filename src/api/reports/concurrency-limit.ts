import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors.ts';

/**
 * Runs work for a key unless `max` pieces of its work count: then @throws ApiError 429. It counts until it has ended and
 * the answer made of it has been sent or given up: until then that is in memory, however slowly the caller takes it.
 */
export type ConcurrencyLimit = <T>(keyId: number, reply: FastifyReply, work: () => Promise<T>) => Promise<T>;

export function concurrencyLimit(max: number): ConcurrencyLimit {
  const running = new Map<number, number>();
  return async (keyId, reply, work) => {
    const others = running.get(keyId) ?? 0;
    if (others >= max) throw new ApiError(429, `at most ${max} reports at once with one key`, [], 1);
    const worked = work();
    running.set(keyId, others + 1);
    const sent = new Promise<void>((resolve) => void finished(reply.raw, () => resolve()));
    void Promise.allSettled([worked, sent]).then(() => {
      const left = running.get(keyId)! - 1;
      if (left === 0) running.delete(keyId);
      else running.set(keyId, left);
    });
    return worked;
  };
}
