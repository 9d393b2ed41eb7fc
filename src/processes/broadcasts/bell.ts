/** Wakes one sleeper. An AbortController would do, at the price of an error object and two listeners for every message. */
export interface Bell {
  /** Whoever sleeps wakes up; if nobody does, the next sleep is none. */
  ring(): void;
  /** Resolves after `ms` or when it rings. Only one may sleep at a time. */
  sleep(ms: number): Promise<void>;
}

export function createBell(): Bell {
  let rung = false;
  let awake: (() => void) | null = null;
  return {
    ring() {
      rung = true;
      awake?.();
    },
    sleep(ms) {
      if (rung) {
        rung = false;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const timer = setTimeout(wake, ms);
        awake = wake;
        function wake(): void {
          clearTimeout(timer);
          awake = null;
          rung = false;
          resolve();
        }
      });
    },
  };
}
