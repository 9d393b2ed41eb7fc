import { z } from 'zod';

/** A whole number in an environment variable. */
export function count(fallback: number, least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce
    .number({ error })
    .refine((given) => Number.isInteger(given) && given >= least && given <= most, { error })
    .default(fallback);
}
