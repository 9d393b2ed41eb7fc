import { createAccounts } from '../commands/accounts.ts';
import { isDatabaseDown } from '../database/errors.ts';
import { holdLease } from '../database/lease.ts';
import { type Cursor, LogUnavailableError, OutcomeUnknownError } from '../log/port.ts';
import { pause } from '../pause.ts';
import { schemaOf } from '../projections/read-model.ts';
import { loadCheckpoint } from '../projections/runtime/checkpoint.ts';
import { servedOf, versionsOf } from '../projections/runtime/versions.ts';
import type { Process, ProcessContext } from './process.ts';
import { addState, loadPositions, saveError, saveState } from './states.ts';
import { saveTrouble } from './troubles.ts';

/** How often it is written how far a process is. What it did since, it looks through once more after a kill. */
const NOTE_MS = 500;
/** How long a process that failed is left alone. */
const AGAIN_MS = 1000;

export type RunContext = Omit<ProcessContext, 'accounts' | 'served' | 'reached' | 'note' | 'tell'>;
type Shared = RunContext & Pick<ProcessContext, 'accounts'>;

/** Runs the processes, each until the signal aborts, and again whenever one ends before. */
export async function runProcesses(
  context: RunContext,
  processes: readonly Process[],
  signal: AbortSignal,
): Promise<void> {
  const shared = { ...context, accounts: createAccounts(context) };
  await Promise.all(processes.map((process) => keepRunning(shared, process, signal)));
}

async function keepRunning(context: Shared, process: Process, signal: AbortSignal): Promise<void> {
  const { pool, instance } = context;
  const logger = context.logger.child({ process: process.name });
  while (!signal.aborted) {
    try {
      await addState(pool, process.name);
      if (process.alone) {
        const work = (held: AbortSignal): Promise<void> => runOnce({ ...context, logger }, process, held);
        await holdLease(pool, `process ${process.name}`, instance, { signal, logger }, work);
      } else await runOnce({ ...context, logger }, process, signal);
    } catch (error) {
      const passing = [LogUnavailableError, OutcomeUnknownError].some((kind) => error instanceof kind);
      logger[passing || isDatabaseDown(error) ? 'warn' : 'error']({ err: error }, 'a process failed, will go on');
      await saveError(pool, process.name, error instanceof Error ? error.message : String(error)).catch(
        (problem: unknown) => logger.warn({ err: problem }, 'it could not be noted why the process failed'),
      );
    }
    await pause(AGAIN_MS, signal);
  }
}

async function runOnce(context: Shared, process: Process, signal: AbortSignal): Promise<void> {
  const { pool, logger } = context;
  let noted: Cursor | null = null;
  let saving: Promise<void> = Promise.resolve();
  const save = (): Promise<void> => {
    saving = saving.then(async () => {
      const reached = noted;
      noted = null;
      await saveState(pool, process.name, reached).catch((error: unknown) => {
        noted ??= reached;
        logger.warn({ err: error }, 'it could not be noted how far the process is');
      });
    });
    return saving;
  };
  let telling: Promise<void> = Promise.resolve();
  const tell: ProcessContext['tell'] = (subject, trouble) => {
    telling = telling
      .then(() => saveTrouble(pool, process.name, subject, trouble))
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'it could not be noted what the process cannot go on with'),
      );
  };
  await save();
  const timer = setInterval(() => void save(), NOTE_MS);
  try {
    await process.run(
      {
        ...context,
        async served(model) {
          const version = servedOf(await versionsOf(pool, model));
          if (version === null) return null;
          const schema = schemaOf(version.name, version.version);
          return { schema, passed: await loadCheckpoint(pool, schema) };
        },
        reached: () => loadPositions(pool, process.name),
        note: (cursor) => {
          noted = cursor;
        },
        tell,
      },
      signal,
    );
  } finally {
    clearInterval(timer);
    await Promise.all([save(), telling]);
  }
}
