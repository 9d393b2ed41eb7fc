import type { Logger } from 'pino';
import { type ClockWatch, clockDifference, TOLERATED_MS } from '../database/clock-watch.ts';
import { type EventLog, WrongClockError } from '../log/port.ts';
import { inTime } from '../util/in-time.ts';

/**
 * Refuses appends while the clock of this machine is wrong: the log would keep its times forever
 * (docs/adr/0031-nothing-is-appended-by-a-wrong-clock.md).
 */
export interface ClockGuard {
  /** Returns the log with its appends refused while the clock is wrong. */
  guarded(log: EventLog): EventLog;
  /** Measures if the clock may have changed. @throws WrongClockError */
  check(): Promise<void>;
  /** By how many milliseconds this machine's clock is ahead of the database's. */
  aheadMs(): number;
  stop(): void;
}

/** Finds a step of the database's clock. A step of this machine's clock is found at the next append. */
const MEASURE_EVERY_MS = 60_000;
/** An append waits no longer for a measurement. Without one, the last measurement and the step since then decide. */
const MEASURE_WITHIN_MS = 1000;

/** @param watch has measured once */
export function createClockGuard(watch: ClockWatch, logger: Logger): ClockGuard {
  let isLogged = false;

  function refuseWrong(): void {
    const isWrong = watch.isWrong();
    if (isWrong !== isLogged) {
      const aheadSeconds = watch.aheadMs() / 1000;
      if (isWrong) logger.error({ aheadSeconds }, 'refusing all appends: the clock of this machine is wrong');
      else logger.warn({ aheadSeconds }, 'taking appends again: the clock of this machine is right');
    }
    isLogged = isWrong;
    if (isWrong) throw new WrongClockError(`${clockDifference(watch.aheadMs())}, ${CONSEQUENCE}`);
  }

  async function measure(): Promise<void> {
    // While the database does not answer, the last result about the clock still holds.
    await inTime(watch.measure(), MEASURE_WITHIN_MS, () => new Error('the database does not answer')).catch(() => {});
  }

  async function check(): Promise<void> {
    if (watch.needsLook()) await measure();
    refuseWrong();
  }

  const measuring = setInterval(
    () =>
      void measure()
        .then(refuseWrong)
        .catch(() => {}), // the refusal is logged
    MEASURE_EVERY_MS,
  ).unref();
  return {
    guarded: (log) => ({
      ...log,
      async append(commit, options) {
        // A check without a measurement is synchronous: appends keep the order of their calls.
        if (watch.needsLook()) await measure();
        refuseWrong();
        return log.append(commit, options);
      },
    }),
    check,
    aheadMs: watch.aheadMs,
    stop: () => clearInterval(measuring),
  };
}

const CONSEQUENCE = `so nothing is appended until they differ by less than ${TOLERATED_MS / 1000} s`;
