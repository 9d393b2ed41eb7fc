import { recoveryState } from '../commands/operations/recover.ts';
import { createAccounts } from '../commands/referral/accounts.ts';
import { createLeaseHolder, type LeaseHolder } from '../database/lease.ts';
import { isPassing } from '../log/is-passing.ts';
import { countGroups, partitionsOfGroups, type WorkOnPartitions } from '../log/partition-groups.ts';
import { type Cursor, within } from '../log/port.ts';
import { servedVersion } from '../projections/runtime/served-version.ts';
import { progressOf } from '../projections/runtime/wait-for-read-models.ts';
import { pause } from '../util/pause.ts';
import type { Process, ProcessContext } from './process.ts';
import { addState, loadPositions, saveError, saveFailure, saveRunning, saveState } from './process-states.ts';

/** How often a process's position is saved. After a kill it looks once more through the work since. */
const SAVE_MS = 500;
/** How often the list of running processes is saved: 5 s after the last time they are shown as ended (process-status.ts). */
const HEARTBEAT_MS = 2000;
/** The wait before a process that has failed is started again. */
const AGAIN_MS = 1000;

/** How often a process looks whether the recovery has ended. */
const RECOVERY_LOOK_MS = 1000;
/** The part of a process's work that fails while it waits. */
const RECOVERY = 'recovery';

/** Longer than a pool keeps an idle connection. Processes look one after the other, so they need few connections. */
const SLOW_LOOK_MS = 15_000;
const SLOW_LOOK_STEP_MS = 1000;

export interface RunContext extends OfInstance {
  /** Called when the partitions that it does a process's work of are others. */
  readonly onPartitions?: ((work: WorkOnPartitions) => void) | undefined;
}
type OfInstance = Omit<
  ProcessContext,
  'slowLookMs' | 'accounts' | 'partitions' | 'served' | 'reached' | 'note' | 'reportFailure'
>;
type Shared = RunContext &
  Pick<ProcessContext, 'accounts'> & {
    readonly leases: LeaseHolder;
    /** Names of the processes that run now. */
    readonly running: Set<string>;
  };

/** Runs the processes until the signal aborts; starts one again if it ends before. */
export async function runProcesses(
  context: RunContext,
  processes: readonly Process[],
  signal: AbortSignal,
): Promise<void> {
  const { pool, instance, logger } = context;
  const leases = createLeaseHolder(pool, instance, { logger });
  const running = new Set<string>();
  const shared = { ...context, accounts: createAccounts(context), leases, running };
  const timer = setInterval(() => {
    if (running.size === 0) return;
    saveRunning(pool, [...running]).catch((error: unknown) =>
      logger.warn({ err: error }, 'failed to save which processes run'),
    );
  }, HEARTBEAT_MS);
  try {
    await Promise.all(
      processes.map((process, i) =>
        keepRunning({ ...shared, slowLookMs: SLOW_LOOK_MS + i * SLOW_LOOK_STEP_MS }, process, i, signal),
      ),
    );
  } finally {
    clearInterval(timer);
  }
}

/** @param shareIndex the index of the process in the list */
async function keepRunning(
  context: Shared & Pick<ProcessContext, 'slowLookMs'>,
  process: Process,
  shareIndex: number,
  signal: AbortSignal,
): Promise<void> {
  const { pool } = context;
  const logger = context.logger.child({ process: process.name });
  while (!signal.aborted) {
    try {
      await addState(pool, process.name);
      if (process.isOutward === true) await untilRecovered({ ...context, logger }, process, signal);
      await runInTurn({ ...context, logger }, process, shareIndex, signal);
    } catch (error) {
      logger[isPassing(error) ? 'warn' : 'error']({ err: error }, 'process failed; retrying');
      await showError(context, process, error instanceof Error ? error.message : String(error)).catch(
        (problem: unknown) => logger.warn({ err: problem }, "failed to save the process's error"),
      );
    }
    await pause(AGAIN_MS, signal);
  }
}

/** Waits while a recovery is open. None begins while the service runs. */
async function untilRecovered(
  { log, pool, logger }: RunContext,
  { name }: Process,
  signal: AbortSignal,
): Promise<void> {
  let isHeld = false;
  while (!signal.aborted && (await recoveryState(log)).isOpen) {
    if (!isHeld) logger.warn('the log was restored; the process waits for `botledger recovery end`');
    isHeld = true;
    const error = 'the log was restored: compare the payouts with the client, then `botledger recovery end`';
    await saveFailure(pool, name, RECOVERY, { error, againMs: RECOVERY_LOOK_MS });
    await pause(RECOVERY_LOOK_MS, signal);
  }
  await saveFailure(pool, name, RECOVERY, null);
}

function runInTurn(
  context: Shared & Pick<ProcessContext, 'slowLookMs'>,
  process: Process,
  shareIndex: number,
  signal: AbortSignal,
): Promise<void> {
  const { leases, log } = context;
  const all = new Set(Array.from({ length: log.partitions }, (_, partition) => partition));
  const lease = `process ${process.name}`;
  switch (process.instances) {
    case 'all':
      return runOnce({ ...context, partitions: all }, process, signal);
    case 'one':
      return leases.hold(lease, signal, (held) => runOnce({ ...context, partitions: all }, process, held));
    case 'shared':
      return leases.share(lease, { parts: countGroups(log.partitions), shareIndex }, signal, (groups, held) => {
        const partitions = partitionsOfGroups(groups, log.partitions);
        return runOnce({ ...context, partitions }, process, held);
      });
  }
}

/** Each instance of a shared process shows its own error. Otherwise the progress of another instance would end it. */
function ownSubject({ instance }: Pick<RunContext, 'instance'>): string {
  return `instance ${instance.slice(0, 8)}`;
}

function showError(context: RunContext, { name, instances }: Process, error: string): Promise<void> {
  if (instances !== 'shared') return saveError(context.pool, name, error);
  return saveFailure(context.pool, name, ownSubject(context), { error, againMs: AGAIN_MS });
}

async function runOnce(
  context: Shared & Pick<ProcessContext, 'slowLookMs' | 'partitions'>,
  process: Process,
  signal: AbortSignal,
): Promise<void> {
  const { pool, logger, running, partitions } = context;
  let mayShowError = process.instances === 'shared';
  let noted: Cursor | null = null;
  let written: Cursor | null = null;
  let saving: Promise<void> = Promise.resolve();
  const save = (): Promise<void> => {
    saving = saving.then(async () => {
      const reached = noted;
      noted = null;
      if (reached === null || (written !== null && isSame(reached, written))) return;
      written = reached;
      try {
        await saveState(pool, process.name, partitions, reached);
        if (mayShowError) await saveFailure(pool, process.name, ownSubject(context), null);
        mayShowError = false;
      } catch (error) {
        noted ??= reached;
        written = null;
        logger.warn({ err: error }, "failed to save the process's position");
      }
    });
    return saving;
  };
  let reporting: Promise<void> = Promise.resolve();
  const reportFailure: ProcessContext['reportFailure'] = (subject, failure) => {
    reporting = reporting
      .then(() => saveFailure(pool, process.name, subject, failure))
      .catch((error: unknown) => logger.warn({ err: error }, "failed to save the process's failure"));
  };
  await saveState(pool, process.name, partitions, null);
  running.add(process.name);
  const work = { projection: process.name, version: 1 };
  context.onPartitions?.({ ...work, partitions: partitions.size });
  const timer = setInterval(() => void save(), SAVE_MS);
  try {
    await process.run(
      {
        ...context,
        async served(model) {
          const version = await servedVersion(pool, model);
          if (version === null) return null;
          return { schema: version.schema, ...(await progressOf(pool, version.schema)) };
        },
        reached: async () => within(partitions, await loadPositions(pool, process.name)),
        note: (cursor) => {
          noted = within(partitions, cursor);
        },
        reportFailure,
      },
      signal,
    );
  } finally {
    clearInterval(timer);
    running.delete(process.name);
    context.onPartitions?.({ ...work, partitions: 0 });
    await Promise.all([save(), reporting]);
  }
}

function isSame(one: Cursor, other: Cursor): boolean {
  return one.size === other.size && [...one].every(([partition, position]) => other.get(partition) === position);
}
