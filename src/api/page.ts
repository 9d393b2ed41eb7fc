import { z } from 'zod';
import { isStorable } from '../domain/storable-json.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** An integer of a query; one outside the range becomes the nearest end of the range. */
const clamped = (fallback: number, min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d+$/, 'must be an integer')
    .transform((text) => Math.min(max, Math.max(min, Number(text))))
    .default(fallback)
    .meta({ type: 'integer' });

/** Query parameters for a part of a list (decisions.md#bot-errors, #referral-lists). */
export const page = {
  limit: clamped(DEFAULT_LIMIT, 1, MAX_LIMIT).describe(`Default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}, clamped`),
  offset: clamped(0, 0, Number.MAX_SAFE_INTEGER).describe('Default 0, clamped'),
};

const MAX_SEARCH = 250;

/** Words that name users. */
export const search = z
  .string()
  .max(MAX_SEARCH)
  .refine(isStorable, 'must not hold U+0000 or a lone surrogate')
  .default('')
  .describe('Each word is in a name or the username, or begins the id, whatever its case');

/** The words of a search. */
export const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
