import type { LongWorkContext, Progress, ShowProgress } from '../../administration/administration-context.ts';
import { FRESH_MS } from '../../database/fresh-cache.ts';
import { isPassing } from '../../log/is-passing.ts';
import type { Cursor } from '../../log/port.ts';
import { loadReadModel } from '../../projections/load-read-model.ts';
import { createPatientReader } from '../../projections/reader.ts';
import { MANIFESTS, manifestOf } from '../../projections/registry.ts';
import { shareAmongProjectors } from '../../projections/runtime/projector.ts';
import { servedProgress, waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import { pause } from '../../util/pause.ts';
import type { ProcessContext } from '../process.ts';

const SAVE_MS = 500;
/** After this wait for a read model the work fails: a stopped read model never catches up. */
const CATCH_UP_MS = 60_000;
/** After so many starts without an end the work fails: the work itself may end the instances. */
export const MAX_STARTS = 10;
export const GIVEN_UP = `given up: ${MAX_STARTS} starts ended with their instance or with an outage`;

interface LongWork<T> {
  /** Called twice a second. Null: there is no progress yet, but the work continues. */
  save(progress: Progress | null): Promise<void>;
  /** @param logEnd the end of the log when the work began */
  work(context: LongWorkContext, logEnd: Cursor): Promise<T>;
  failed(message: string): T;
}

/**
 * Does work that an operator asked for, and saves its progress.
 * @returns null: the instance stops, and the next start does the work @throws errors of an outage, after which it is also done
 */
export async function doLongWork<T>(
  context: ProcessContext,
  signal: AbortSignal,
  { save, work, failed }: LongWork<T>,
): Promise<T | null> {
  const { log, logger, note } = context;
  let progress: Progress | null = null;
  const saving = setInterval(() => {
    Promise.all([save(progress), log.endCursor().then(note)]).catch((error: unknown) =>
      logger.warn({ err: error }, "failed to save the progress of an operator's work"),
    );
  }, SAVE_MS);
  try {
    const show: ShowProgress = (now) => {
      progress = now;
    };
    const logEnd = await log.endCursor();
    return await work(longWork(context, signal, show, logEnd), logEnd);
  } catch (error) {
    if (signal.aborted) return null;
    if (isPassing(error)) throw error;
    logger.error({ err: error }, 'the work of an operator failed');
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    clearInterval(saving);
  }
}

function longWork(
  { log, pool, sources, instance, logger, config }: ProcessContext,
  signal: AbortSignal,
  progress: ShowProgress,
  logEnd: Cursor,
): LongWorkContext {
  const shared = shareAmongProjectors(pool, instance, logger);
  return {
    log,
    sources,
    signal,
    progress,
    manifests: MANIFESTS,
    checkpointKey: config.PROOF === 'on' ? config.CHECKPOINT_KEY : undefined,
    witnessPolicy: config.WITNESS_POLICY,
    waitForSwitch: () => pause(2 * FRESH_MS, signal),
    projector: async ({ name }) => ({
      model: await loadReadModel(name),
      log,
      ...shared,
      logger,
      onBadEvent: 'stop',
      standBy: true,
      signal,
      onWait: (what) => progress({ what: `waiting for ${what}`, done: 0, total: null, unit: 'commits' }),
    }),
    ...createPatientReader(pool, async (name) => {
      const model = manifestOf(name);
      const waiting = { timeoutMs: CATCH_UP_MS, signal };
      if ((await waitForReadModels([servedProgress(pool, model)], logEnd, waiting)) === null)
        throw new Error(`the read model ${name} did not catch up with the log within ${CATCH_UP_MS / 1000} s`);
      return model;
    }),
  };
}
