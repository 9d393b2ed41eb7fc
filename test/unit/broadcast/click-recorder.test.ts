import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { type ClickResult, createClickRecorder } from '../../../src/api/clicks/recorder.ts';
import type { Click } from '../../../src/domain/broadcast/clicks.ts';
import { LogUnavailableError, type NewCommit, OutcomeUnknownError } from '../../../src/log/port.ts';
import { systemSources } from '../../../src/util/system-sources.ts';

const click = (place: number, link = 0) => ({ broadcast_id: 1, launch: 1, place, link });

/** A recorder on a log whose appends end as `append` says. */
function recorderOf(append: (commit: NewCommit) => Promise<void>, now = () => 0, elapsed?: () => number) {
  const counts: Record<ClickResult, number> = { recorded: 0, repeated: 0, dropped: 0 };
  const commits: NewCommit[] = [];
  const log = {
    async append(commit: NewCommit) {
      commits.push(commit);
      await append(commit);
    },
  };
  const recorder = createClickRecorder({
    context: { log: log as never, sources: { ...systemSources, now } },
    logger: pino({ level: 'silent' }),
    ...(elapsed !== undefined && { elapsed }),
    count: (result, clicks) => {
      counts[result] += clicks;
    },
  });
  const items = () => commits.flatMap(({ events }) => (events[0]!.data as { items: Click[] }).items);
  return { recorder, counts, commits, items };
}

test('clicks are appended together, one commit for each bot, with the time of the click', async () => {
  let now = 1000;
  const { recorder, counts, commits, items } = recorderOf(
    async () => {},
    () => now++,
  );
  for (let place = 0; place < 1500; place++) recorder.record('a', click(place));
  recorder.record('b', click(7));
  await recorder.close();
  expect(commits.map(({ stream, expected }) => [stream, expected])).toEqual([
    ['clicks-a', 'any'],
    ['clicks-a', 'any'],
    ['clicks-b', 'any'],
  ]);
  expect(items()[3]).toEqual({ ...click(3), at: 1003 });
  expect(counts).toEqual({ recorded: 1501, repeated: 0, dropped: 0 });
});

test('an append that failed or whose outcome is unknown is repeated under its id', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  try {
    const failures = [new LogUnavailableError('down'), new OutcomeUnknownError('lost')];
    const { recorder, counts, commits } = recorderOf(async () => {
      const error = failures.shift();
      if (error !== undefined) throw error;
    });
    recorder.record('a', click(1));
    await vi.advanceTimersByTimeAsync(5000);
    expect(commits).toHaveLength(3);
    expect(new Set(commits.map(({ id }) => id)).size).toBe(1);
    expect(counts).toMatchObject({ recorded: 1, dropped: 0 });
  } finally {
    vi.useRealTimers();
  }
});

test('while the log is down at most 10,000 clicks wait; later ones are counted as dropped', async () => {
  const { recorder, counts } = recorderOf(() => Promise.reject(new LogUnavailableError('down')));
  for (let place = 0; place < 10_010; place++) recorder.record('a', click(place));
  expect(counts.dropped).toBe(10);
  await recorder.close();
  expect(counts.recorded).toBe(0);
});

test('each recipient and link is recorded ten times in an hour, also while the clock is set back', async () => {
  let elapsedMs = 0;
  const { recorder, counts, items } = recorderOf(
    async () => {},
    () => -elapsedMs,
    () => elapsedMs,
  );
  for (let i = 0; i < 12; i++) {
    recorder.record('a', click(1, 0));
    recorder.record('a', click(1, 1));
    recorder.record('a', click(2, 0));
  }
  expect(counts.repeated).toBe(6);
  elapsedMs += 3_600_000;
  recorder.record('a', click(1, 0));
  await recorder.close();
  expect(items().filter(({ place, link }) => place === 1 && link === 0)).toHaveLength(11);
  expect(counts).toEqual({ recorded: 31, repeated: 6, dropped: 0 });
});

test('an append that can never succeed drops its clicks alone', async () => {
  const { recorder, counts } = recorderOf(({ stream }) =>
    stream === 'clicks-a' ? Promise.reject(new TypeError('wrong')) : Promise.resolve(),
  );
  recorder.record('a', click(1));
  recorder.record('b', click(1));
  await recorder.close();
  expect(counts).toEqual({ recorded: 1, repeated: 0, dropped: 1 });
});
