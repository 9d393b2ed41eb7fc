import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Sources } from './domain/sources.ts';

/** The real clock and the real randomness. Only composition roots name it. */
export const systemSources: Sources = { now: Date.now, uuid: v7, randomBytes: (size) => randomBytes(size) };
