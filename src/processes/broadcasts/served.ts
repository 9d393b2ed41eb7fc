import { pause } from '../../pause.ts';
import type { ReadModel } from '../../projections/read-model.ts';
import type { ProcessContext } from '../process.ts';

const POLL_MS = 100;

/** The schema of the version that answers, waited for while it is being built. @throws the signal's reason */
export async function servedSchemaOf(
  { served }: Pick<ProcessContext, 'served'>,
  model: ReadModel,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    const found = await served(model);
    if (found !== null) return found.schema;
    await pause(POLL_MS, signal);
    signal.throwIfAborted();
  }
}
