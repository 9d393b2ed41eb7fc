import { z } from 'zod';
import { MAX_REASON } from '../../domain/operations/work.ts';

/** Any operator. */
export const READ = { resource: 'operator' } as const;

/** Why an operator asks for a change. */
export const reason = z
  .string()
  .trim()
  .min(1, 'must say why')
  .max(MAX_REASON)
  .describe(`Why, 1 to ${MAX_REASON} characters; the log keeps it`);

export const lag = z.object({
  events: z.number().describe('Commits not read yet, an upper bound'),
  seconds: z.number().describe('Age of the oldest of them'),
});
