import type { IdKind } from '../../domain/catalog/ids.ts';
import {
  beginRecovery as begin,
  endRecovery as end,
  idsAbove,
  type RecoveryState,
  recovery,
} from '../../domain/operations/recovery-events.ts';
import { RECOVERY_STREAM } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';
import { type CommandContext, decideAndAppend, load } from '../decide-and-append.ts';

export async function recoveryState(log: EventLog): Promise<RecoveryState> {
  return (await load(log, recovery, RECOVERY_STREAM)).state;
}

/** New ids of a kind are above it. It changes only while no service runs. */
export async function idFloor(log: EventLog, kind: IdKind | 'event'): Promise<number> {
  return idsAbove(await recoveryState(log), kind);
}

/**
 * Records that the log was restored. Safe to repeat.
 * @param backup hash of the backup file; null: restored by other means
 */
export async function beginRecovery(context: CommandContext, backup: string | null): Promise<void> {
  await decideAndAppend(context, recovery, RECOVERY_STREAM, (state, now) => begin(state, backup, now));
}

/** Lets money and messages leave the service again. @throws Rejection conflict: no recovery is open */
export async function endRecovery(context: CommandContext, reason: string): Promise<void> {
  await decideAndAppend(context, recovery, RECOVERY_STREAM, (state) => end(state, reason));
}
