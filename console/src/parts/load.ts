import { type Signal, signal, useSignal, useSignalEffect } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { RequestError } from '../api.ts';

/** The state of a request. `data` stays while the same is asked for again, so that nothing jumps. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: RequestError | undefined;
  readonly loading: boolean;
}

const NOTHING = { data: undefined, error: undefined, loading: true };
const PACES_MS = { running: 1000, still: 10_000, seldom: 60_000, never: null } as const;

export interface LoadOptions<T> {
  /** Loads again: each second while something runs, else each ten, each minute, or never. Absent: never. */
  readonly poll?: (data: T) => keyof typeof PACES_MS;
  /** The data say themselves what they answer, so that they may stay, dimmed, until the answer to the next question is there. */
  readonly keep?: boolean;
}

/**
 * Loads what `ask` asks for. When a signal that `ask` reads changes, the question is another one: the data of the former
 * question are dropped. Polls only while the tab is visible.
 * @param ask null: there is nothing to ask for
 */
export function useLoad<T>(
  ask: () => ((signal: AbortSignal) => Promise<T>) | null,
  { poll, keep }: LoadOptions<T> = {},
): { readonly loaded: Signal<Loaded<T>>; reload(): void } {
  const loaded = useMemo(() => signal<Loaded<T>>(NOTHING), []);
  const turn = useSignal(0);
  const asked = useRef(0);
  useSignalEffect(() => {
    const load = ask();
    const abort = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async (): Promise<void> => {
      if (load === null) return;
      try {
        const data = await load(abort.signal);
        if (abort.signal.aborted) return;
        loaded.value = { data, error: undefined, loading: false };
        const ms = PACES_MS[poll?.(data) ?? 'never'];
        if (ms !== null) again(ms);
      } catch (error) {
        if (abort.signal.aborted) return;
        if (!(error instanceof RequestError)) throw error;
        loaded.value = { data: loaded.peek().data, error, loading: false };
        if (poll !== undefined) again(PACES_MS.still);
      }
    };
    const again = (ms: number): void => {
      timer = setTimeout(() => {
        if (document.visibilityState === 'visible') void run();
        else document.addEventListener('visibilitychange', () => void run(), { once: true, signal: abort.signal });
      }, ms);
    };
    const isSame = keep === true || asked.current !== turn.value;
    asked.current = turn.value;
    loaded.value = { ...(isSame ? loaded.peek() : NOTHING), loading: true };
    void run();
    return () => {
      abort.abort();
      clearTimeout(timer);
    };
  });
  return {
    loaded,
    reload: () => {
      turn.value++;
    },
  };
}
