import type pg from 'pg';

/**
 * Compares the clock of this machine with the database's, the one clock that all instances and commands share
 * (docs/adr/0031-nothing-is-appended-by-a-wrong-clock.md).
 */
export interface ClockWatch {
  /** By how much this machine's clock is ahead, in milliseconds; negative: it is behind. NaN before the first measurement. */
  aheadMs(): number;
  /** Whether the clocks differ by more than TOLERATED_MS. */
  isWrong(): boolean;
  /** Whether to measure before the next append: the clock was set since the last measurement, or is wrong. */
  needsLook(): boolean;
  /** Measures. Concurrent calls share one measurement. @throws if the database does not answer */
  measure(): Promise<void>;
}

export interface ClockWatchOptions {
  /** Asks the database for its time, in milliseconds since 1970 UTC. Calls `asked` when the question is sent. */
  readonly databaseTime: (asked: () => void) => Promise<number>;
  /** This machine's clock, in milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

/** More than two machines with NTP ever differ by, less than any time that the log keeps: delays begin with seconds. */
export const TOLERATED_MS = 5000;
/** A larger step of the clock since the last measurement was not the slow adjustment of NTP. */
const STEP_MS = 1000;
/** How often a clock that is wrong is measured while appends arrive. */
const LOOK_AGAIN_MS = 1000;

export function createClockWatch({ databaseTime, now, elapsed }: ClockWatchOptions): ClockWatch {
  let ahead = Number.NaN;
  /** `now() - elapsed()` at the last measurement. It changes only if the clock is set. */
  let base = Number.NaN;
  let measuredAt = Number.NEGATIVE_INFINITY;
  let measuring: Promise<void> | null = null;

  // Without a new measurement the last one still counts, with the step that the clock has made since.
  const steppedMs = (): number => now() - elapsed() - base;
  const aheadMs = (): number => ahead + steppedMs();
  const isWrong = (): boolean => Math.abs(aheadMs()) > TOLERATED_MS;

  async function measure(): Promise<void> {
    let asked = elapsed();
    const database = await databaseTime(() => {
      asked = elapsed();
    });
    const answered = elapsed();
    const time = now();
    // The database read its clock somewhere between question and answer, so half of that time is uncertain.
    const uncertain = (answered - asked) / 2;
    const difference = time - uncertain - database;
    ahead = Math.sign(difference) * Math.max(0, Math.abs(difference) - uncertain);
    base = time - answered;
    measuredAt = answered;
  }

  return {
    aheadMs,
    isWrong,
    needsLook: () => Math.abs(steppedMs()) > STEP_MS || (isWrong() && elapsed() - measuredAt > LOOK_AGAIN_MS),
    measure() {
      measuring ??= measure().finally(() => {
        measuring = null;
      });
      return measuring;
    },
  };
}

/** Asks for the time once there is a connection, so that the wait for one does not count. */
export async function databaseTime(pool: pg.Pool, asked: () => void): Promise<number> {
  const client = await pool.connect();
  try {
    asked();
    const { rows } = await client.query<{ ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
    );
    return rows[0]!.ms;
  } finally {
    client.release();
  }
}

/** How the clocks differ, for people. */
export function clockDifference(aheadMs: number): string {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  return `the clock of this machine is ${seconds} s ${aheadMs < 0 ? 'behind' : 'ahead of'} the database's`;
}
