import { pause } from './pause.ts';

/** The result, or null if it takes longer than `ms`. Null for `ms`: it waits for the result. */
export async function firstOf<T>(result: Promise<T>, ms: number | null): Promise<T | null> {
  if (ms === null) return result;
  const timer = new AbortController();
  try {
    return await Promise.race([result, pause(ms, timer.signal).then(() => null)]);
  } finally {
    timer.abort();
  }
}
