import { isPassing } from '../log/is-passing.ts';
import { OutcomeUnknownError } from '../log/port.ts';

/**
 * Does the work of a decision that the log has. An outage then is no sign that nothing has changed
 * (decisions.md#outcome-unknown).
 * @throws OutcomeUnknownError the database or the log does not answer
 */
export async function afterAppend<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isPassing(error)) throw error;
    throw new OutcomeUnknownError('the log has the decision, but it may not be in effect: repeat it', { cause: error });
  }
}
