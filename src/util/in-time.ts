import { pause } from './pause.ts';

/** Resolves as `work` does, or rejects with `late()` after `ms` milliseconds. The work is not stopped. */
export async function inTime<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}

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
