import { z } from 'zod';

/** Makes the schema of an environment variable that holds a whole number. */
export function count(fallback: number, least: number, most: number) {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.coerce
    .number({ error })
    .refine((given) => Number.isInteger(given) && given >= least && given <= most, { error })
    .default(fallback);
}
