import { pause } from './pause.ts';

/** Returns the result, or null if the result takes longer than `ms`. @param ms null: no limit */
export async function firstOf<T>(result: Promise<T>, ms: number | null): Promise<T | null> {
  if (ms === null) return result;
  const timer = new AbortController();
  try {
    return await Promise.race([result, pause(ms, timer.signal).then(() => null)]);
  } finally {
    timer.abort();
  }
}
