import { ApiError } from '../errors.ts';

/** Runs work for a key unless `max` pieces of its work are running: then @throws ApiError 429. */
export type ConcurrencyLimit = <T>(keyId: number, work: () => Promise<T>) => Promise<T>;

export function concurrencyLimit(max: number): ConcurrencyLimit {
  const running = new Map<number, number>();
  return async (keyId, work) => {
    const others = running.get(keyId) ?? 0;
    if (others >= max) throw new ApiError(429, `at most ${max} reports at once with one key`, [], 1);
    running.set(keyId, others + 1);
    try {
      return await work();
    } finally {
      const left = running.get(keyId)! - 1;
      if (left === 0) running.delete(keyId);
      else running.set(keyId, left);
    }
  };
}
