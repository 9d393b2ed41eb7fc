import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createProgress } from '../../../src/cli/shown-progress.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function written(stream: { readonly isTTY: boolean; readonly columns?: number }) {
  const parts: string[] = [];
  const progress = createProgress({ ...stream, write: (text: string) => parts.push(text) });
  return { parts, progress };
}

it('writes a line every 10 s without a terminal, with the finished part and the remaining time', () => {
  const { parts, progress } = written({ isTTY: false });
  progress({ what: 'the log', done: 1000, total: 5000, unit: 'commits' });
  vi.advanceTimersByTime(9999);
  expect(parts).toEqual([]);
  progress({ what: 'the log', done: 2000, total: 5000, unit: 'commits' });
  vi.advanceTimersByTime(1);
  expect(parts).toEqual(['the log: 2000 of 5000 commits, 40 %, 100 a second, 30 s left\n']);
  // It writes a line also if the work makes no progress.
  vi.advanceTimersByTime(10_000);
  expect(parts.slice(1)).toEqual(['the log: 2000 of 5000 commits, 40 %, 50 a second, 1 min left\n']);
  // The next part starts from zero.
  progress({ what: 'accounts', done: 0, total: null, unit: 'accounts' });
  vi.advanceTimersByTime(5000);
  progress({ what: 'accounts', done: 7, total: null, unit: 'accounts' });
  vi.advanceTimersByTime(5000);
  expect(parts.slice(2)).toEqual(['accounts: 7 accounts, 0.7 a second\n']);
  progress(null);
  vi.advanceTimersByTime(60_000);
  expect(parts).toHaveLength(3);
});

it('updates one line on a terminal, cut to its width, and removes it when the work is done', () => {
  const { parts, progress } = written({ isTTY: true, columns: 40 });
  progress({ what: 'the log', done: 0, total: 4, unit: 'commits' });
  progress({ what: 'the log', done: 3, total: 4, unit: 'commits' });
  vi.advanceTimersByTime(1000);
  expect(parts.at(-1)).toBe('\r\u001b[Kthe log: 3 of 4 commits, 75 %, 3.0 a se');
  expect(parts.join('')).not.toContain('\n');
  progress(null);
  expect(parts.at(-1)).toBe('\r\u001b[K');
  const count = parts.length;
  vi.advanceTimersByTime(10_000);
  expect(parts).toHaveLength(count);
});

it('counts one commit in the singular', () => {
  const { parts, progress } = written({ isTTY: false });
  progress({ what: 'the log', done: 0, total: 1, unit: 'commits' });
  vi.advanceTimersByTime(10_000);
  expect(parts).toEqual(['the log: 0 of 1 commit, 0 %\n']);
});

it('assumes 80 characters for a terminal of unknown width', () => {
  const { parts, progress } = written({ isTTY: true, columns: 0 });
  progress({ what: 'a'.repeat(100), done: 0, total: null, unit: 'commits' });
  vi.advanceTimersByTime(1000);
  expect(parts.at(-1)).toBe(`\r\u001b[K${'a'.repeat(79)}`);
});

it('writes nothing for short work', () => {
  const { parts, progress } = written({ isTTY: false });
  progress({ what: 'the log', done: 1, total: 2, unit: 'commits' });
  progress(null);
  vi.advanceTimersByTime(60_000);
  expect(parts).toEqual([]);
});
