import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/domain/broadcast/sending-events.ts';
import { LogUnavailableError } from '../../../src/log/port.ts';
import { type Delivery, endedWith } from '../../../src/processes/broadcasts/deliver.ts';
import { createFailures, type Failures } from '../../../src/processes/broadcasts/failures.ts';
import { PlatformHealth } from '../../../src/processes/broadcasts/platform-health.ts';

/** Failures as operators see them; null: it works again. */
let reported: ({ readonly error: string; readonly againMs: number } | null)[];
beforeEach(() => {
  reported = [];
});

describe("what a bot's sender learns of the platform", () => {
  let now: number;
  /** Of the clock, while `now` advances. */
  let setBack: number;
  let health: PlatformHealth;
  beforeEach(() => {
    now = 1_700_000_000_000;
    setBack = 0;
    health = new PlatformHealth({
      now: () => now + setBack,
      elapsed: () => now,
      report: (failure) => reported.push(failure),
    });
  });

  const outcome = (outcome: Outcome['outcome'], reason: string | null): Delivery => endedWith({ outcome, reason });
  const unusable = (count: number): void => {
    for (let n = 0; n < count; n++) health.learn(outcome('unknown', 'error 502'));
  };
  const answers = (): void => health.learn(outcome('delivered', null));
  const unreachable = (): void =>
    health.learn({ ...outcome('returned', null), botProblem: { type: 'not_sent', reason: 'ECONNREFUSED' } });
  const limited = (retryAfterMs: number): void =>
    health.learn({ ...outcome('returned', null), botProblem: { type: 'limited', retryAfterMs } });
  const waitMs = (): number => health.status().waitMs;
  const probing = (): boolean => health.status().probing;
  const ERROR = 'the platform has given no usable answer since 2023-11-14T22:13:20.000Z: error 502';

  test('ten unknown outcomes in a row pause sending for 4 s, doubling to 5 min; nine do not', () => {
    unusable(9);
    expect([waitMs() > 0, probing(), health.status().pause]).toEqual([false, false, null]);
    unusable(1);
    expect(health.status()).toMatchObject({ waitMs: 4000, probing: true, costly: true });
    expect(health.status().pause).toEqual({ until: null, error: ERROR });
    const waits = [8, 16, 32, 64, 128, 256, 300, 300];
    for (const seconds of waits) {
      now += waitMs();
      unusable(1);
      expect(waitMs()).toBe(seconds * 1000);
    }
    expect(health.status().pause).toEqual({ until: null, error: ERROR });
    expect(reported).toEqual([4, ...waits].map((seconds) => ({ error: ERROR, againMs: seconds * 1000 })));
  });

  test('answers to calls that were made before the pause do not make it longer', () => {
    unusable(10);
    now += 3000;
    unusable(20);
    expect(waitMs()).toBe(1000);
  });

  test('an answer that is understood ends it, and the next pause takes ten more', () => {
    unusable(10);
    answers();
    expect([waitMs() > 0, probing(), health.status().pause]).toEqual([false, false, null]);
    expect(reported.at(-1)).toBe(null);
    unusable(9);
    answers();
    unusable(9);
    expect(probing()).toBe(false);
  });

  test('a platform that goes away while it gives no usable answers is unreachable, and after that still gives none', () => {
    unusable(10);
    now += 4000;
    unreachable();
    expect(health.status().pause?.error).toMatch(/^the platform cannot be reached since .*: ECONNREFUSED$/);
    expect([health.status().costly, reported.at(-1)]).toEqual([false, null]);
    now += waitMs();
    unusable(1);
    expect(health.status()).toMatchObject({ waitMs: 4000, costly: true });
  });

  test('if an earlier sender backed off, the first answer decides', () => {
    health.doubt(ERROR);
    expect([waitMs() > 0, probing(), health.status().costly]).toEqual([false, true, true]);
    expect(health.status().pause).toEqual({ until: null, error: ERROR });
    unusable(1);
    expect(waitMs()).toBe(4000);
    answers();
    health.doubt(ERROR);
    answers();
    expect([probing(), health.status().pause]).toEqual([false, null]);
  });

  test('an error of the service before a call says nothing of the platform, one after the answer does', () => {
    health.doubt(ERROR);
    const fault = new TypeError('a bug');
    health.learn({ ...outcome('returned', null), fault });
    health.learn({ ...outcome('unknown', 'the service failed while sending'), fault });
    expect([waitMs() > 0, probing()]).toEqual([false, true]);
    health.learn({ ...outcome('delivered', null), fault });
    expect(probing()).toBe(false);
  });

  test('an unreachable platform is tried less and less often, until it answers', () => {
    now = 0;
    const waits: number[] = [];
    for (let tries = 0; tries < 9; tries++) {
      unreachable();
      unreachable(); // of another call that was under way
      waits.push(waitMs());
      now += waitMs();
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    expect(probing()).toBe(true);
    expect(health.status().pause).toEqual({
      until: null,
      error: 'the platform cannot be reached since 1970-01-01T00:00:00.000Z: ECONNREFUSED',
    });
    answers();
    expect(health.status().pause).toBeNull();
    expect(waitMs()).toBeLessThanOrEqual(0);
  });

  test('a limit holds as long as the longest that the platform has named', () => {
    now = 1000;
    limited(5000);
    limited(1000);
    answers();
    expect(health.status().pause).toEqual({ until: 6000, error: null });
    now = 6000;
    expect(health.status().pause).toBeNull();
  });

  test('a clock that is set back an hour makes no wait longer', () => {
    limited(6000);
    unreachable();
    setBack = -3_600_000;
    expect(health.status().waitMs).toBe(6000);
    now += 6000;
    expect(health.status()).toMatchObject({ waitMs: 0, pause: { until: null } });
    unreachable();
    expect(health.status().waitMs).toBe(1000);
    // A sender that starts now reads the pause from the log.
    health = new PlatformHealth({ now: () => now + setBack, elapsed: () => now, report: () => {} });
    health.resumeAfter({ until: now, lengthMs: 6000 });
    expect(health.status().waitMs).toBe(0);
  });
});

describe('failures of the service itself', () => {
  let now: number;
  let logged: { level: number; msg: string; againMs: number; err: { message: string } }[];
  let failures: Failures;
  beforeEach(() => {
    now = 0;
    logged = [];
    const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
    failures = createFailures({
      broadcast: 1,
      logger,
      elapsed: () => now,
      report: (failure) => reported.push(failure),
    });
  });

  /** Fails again each time that the wait is over. @returns the waits */
  function failing(times: number, error: Error): number[] {
    return Array.from({ length: times }, () => {
      const wait = failures.failed(error);
      now += wait;
      return wait;
    });
  }

  test('the same failure is retried ever less often, up to 5 minutes, and logged once', () => {
    expect(failing(8, new Error('a bug'))).toEqual([4, 8, 16, 32, 64, 128, 256, 300].map((s) => s * 1000));
    expect(logged.map(({ err, level }) => [err.message, level])).toEqual([['a bug', 50]]);
    expect(logged).toMatchObject([{ msg: 'failed to send broadcast; retrying', againMs: 4000 }]);
    expect(reported.at(-1)).toEqual({ error: 'a bug', againMs: 300_000 });
    failing(1, new Error('another'));
    expect(logged).toHaveLength(2);
  });

  test('backs off from the start after a minute of successful sending, and not earlier', () => {
    failing(3, new Error('a bug'));
    failures.recovered();
    expect(reported.at(-1)).toBe(null);
    expect(failing(1, new Error('a bug'))).toEqual([32_000]);
    expect(logged).toHaveLength(1);
    now += 60_000;
    expect(failures.isFailing).toBe(false);
    expect(failing(1, new Error('a bug'))).toEqual([4000]);
    expect(logged).toHaveLength(2);
  });

  test('an outage is retried at a steady pace, and not reported as a failure of the broadcast', () => {
    expect(failing(3, new LogUnavailableError('the broker is away'))).toEqual([4000, 4000, 4000]);
    expect(logged.map(({ level }) => level)).toEqual([40]);
    failures.recovered();
    expect(reported).toEqual([]);
  });
});
