import { finished } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../api-errors.ts';

/** Exports that run at once in this instance. */
export interface ExportSlots {
  /**
   * Takes a slot for the key until the answer was sent or given up.
   * @throws ApiError 429 if the key has one, 503 if there is none
   */
  take(keyId: number, reply: FastifyReply): void;
}

/** Seconds after which a refused caller tries again. */
const RETRY_AFTER = 5;

export function exportSlots(most: number): ExportSlots {
  const keys = new Set<number>();
  return {
    take(keyId, reply) {
      if (keys.has(keyId)) throw new ApiError(429, 'this key has an export under way', [], RETRY_AFTER);
      if (keys.size >= most) throw new ApiError(503, `${most} exports are under way, no more at once`, [], RETRY_AFTER);
      keys.add(keyId);
      finished(reply.raw, () => keys.delete(keyId));
    },
  };
}
