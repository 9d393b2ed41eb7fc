import type pg from 'pg';
import type { Logger } from 'pino';
import type { LeaseHolder } from '../../database/lease.ts';
import type { WorkOnPartitions } from '../../log/partition-groups.ts';
import type { EventLog, RecordedCommit } from '../../log/port.ts';
import type { ReadModel } from '../read-model.ts';
import type { VersionWatch } from './watch-versions.ts';

/** Shared by a thread's projectors: one statement renews all their leases, and one looks up all their versions. */
export interface SharedByProjectors {
  readonly pool: pg.Pool;
  readonly leases: LeaseHolder;
  readonly versions: VersionWatch;
}

export interface ProjectorOptions extends SharedByProjectors {
  readonly model: ReadModel;
  readonly log: EventLog;
  /** Reads the log for all followers of a thread. Default: each has a subscription of the log. */
  readonly reader?: Pick<EventLog, 'subscribe'> | undefined;
  readonly logger: Logger;
  /** At a commit that a built version cannot apply: stop, make it a dead letter, or quarantine its bot. */
  readonly onBadEvent: OnBadEvent;
  /**
   * How projectors treat the version of the former shape when another version answers: they follow it for a step back, or drop it
   * once no instance follows it. Absent: neither. While it answers they follow it in each case.
   */
  readonly former?: 'keep' | 'drop' | undefined;
  /** Works only while no other projector does: for a command while a service runs. */
  readonly standBy?: boolean | undefined;
  /** The least number of commits in the log with which builders share the build of a version. */
  readonly divideFrom?: number | undefined;
  /** When this aborts, the projector ends at a checkpoint. */
  readonly signal: AbortSignal;
  /** Called before a wait for another run, such as `another replay of users to end`. */
  readonly onWait?: ((what: string) => void) | undefined;
  /** Called after each transaction that has applied commits. */
  readonly onBatch?: ((batch: AppliedBatch) => void) | undefined;
  /** Called when the partitions that it follows are others. */
  readonly onPartitions?: ((work: WorkOnPartitions) => void) | undefined;
}

/** Commits that a read model has applied in one transaction. */
export interface AppliedBatch {
  /** Name of the read model. */
  readonly projection: string;
  readonly commits: readonly RecordedCommit[];
  /** The time that writing rows and checkpoint took, in milliseconds. */
  readonly ms: number;
}

export type OnBadEvent = 'stop' | 'dead-letter' | 'quarantine';
