import { OutcomeUnknownError } from '../log/port.ts';

/** Attempts at an append whose outcome is unknown. */
const MAX_ATTEMPTS = 5;

/**
 * Repeats the append of one commit until its outcome is certain. The log stores a commit once.
 * @throws OutcomeUnknownError after five attempts
 */
export async function untilCertain<T>(append: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++)
    try {
      return await append();
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError) || attempts === MAX_ATTEMPTS) throw error;
    }
}
