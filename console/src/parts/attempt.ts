import { type Signal, useSignal } from '@preact/signals';
import { RequestError } from '../api.ts';

export interface Attempt {
  /** Why the last attempt failed; undefined: it did not. */
  readonly error: Signal<RequestError | undefined>;
  readonly busy: Signal<boolean>;
  /** Runs `work`. A request that fails is kept in `error`; other errors are bugs and are thrown. */
  run(work: () => Promise<void>): Promise<void>;
}

/** A change that a person asks for, and what became of it. */
export function useAttempt(): Attempt {
  const error = useSignal<RequestError | undefined>(undefined);
  const busy = useSignal(false);
  return {
    error,
    busy,
    async run(work) {
      busy.value = true;
      error.value = undefined;
      try {
        await work();
      } catch (problem) {
        if (!(problem instanceof RequestError)) throw problem;
        error.value = problem;
      } finally {
        busy.value = false;
      }
    },
  };
}
