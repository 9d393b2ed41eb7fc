/** Wakes one sleeper. An AbortController would cost an error object and two listeners for every message. */
export interface WakeUp {
  /** Wakes the sleeper. If none, the next `sleep()` returns at once. */
  wake(): void;
  /** Resolves after `ms` or at `wake()`. Only one may sleep at a time. */
  sleep(ms: number): Promise<void>;
}

export function createWakeUp(): WakeUp {
  let isDue = false;
  let sleeper: (() => void) | null = null;
  return {
    wake() {
      isDue = true;
      sleeper?.();
    },
    sleep(ms) {
      if (isDue) {
        isDue = false;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const timer = setTimeout(awake, ms);
        sleeper = awake;
        function awake(): void {
          clearTimeout(timer);
          sleeper = null;
          isDue = false;
          resolve();
        }
      });
    },
  };
}
