/** A report waited too long for a thread. It did not run. */
export class ReportNotRunError extends Error {
  override readonly name = 'ReportNotRunError';
  constructor() {
    super('report not started: all report threads are busy; retry');
  }
}

/** Runs a limited number of reports at once. API keys whose reports wait take turns. */
interface ReportQueue {
  /**
   * Runs `work` at its turn.
   * @param work gets the milliseconds that are left of `maxWaitMs`, within which it must begin
   * @throws ReportNotRunError if the turn does not come within `maxWaitMs`
   */
  run<T>(keyId: number, work: (leftMs: number) => Promise<T>): Promise<T>;
  /** How many reports wait for their turn. */
  readonly waiting: number;
}

interface Key {
  running: number;
  /** The number of the key's last turn; 0: it had none. */
  lastTurn: number;
  /** Starts each waiting report, in the order of the requests. */
  readonly waiting: Set<() => void>;
}

/**
 * A free slot goes to the key with the fewest running reports. Among equals it goes to the key whose last turn is longest
 * ago.
 * @param slots how many reports run at once
 */
export function reportQueue(slots: number, maxWaitMs: number): ReportQueue {
  let free = slots;
  let turns = 0;
  /** Keys that have running or waiting reports. */
  const keys = new Map<number, Key>();

  function keyOf(keyId: number): Key {
    const known = keys.get(keyId) ?? { running: 0, lastTurn: 0, waiting: new Set<() => void>() };
    keys.set(keyId, known);
    return known;
  }

  function forget(keyId: number): void {
    const { running, waiting } = keys.get(keyId)!;
    if (running === 0 && waiting.size === 0) keys.delete(keyId);
  }

  function next(): Key | undefined {
    let best: Key | undefined;
    for (const key of keys.values())
      if (key.waiting.size > 0 && (best === undefined || isBefore(key, best))) best = key;
    return best;
  }

  function startWaiting(): void {
    for (let key = next(); free > 0 && key !== undefined; key = next()) {
      const [start] = key.waiting;
      key.waiting.delete(start!);
      key.running++;
      key.lastTurn = ++turns;
      free--;
      start!();
    }
  }

  function turnOf(keyId: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const { waiting } = keyOf(keyId);
      const timer = setTimeout(() => {
        waiting.delete(start);
        forget(keyId);
        reject(new ReportNotRunError());
      }, maxWaitMs);
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      waiting.add(start);
      startWaiting();
    });
  }

  return {
    get waiting() {
      return [...keys.values()].reduce((sum, key) => sum + key.waiting.size, 0);
    },
    async run(keyId, work) {
      const deadline = performance.now() + maxWaitMs;
      await turnOf(keyId);
      try {
        return await work(Math.max(0, deadline - performance.now()));
      } finally {
        free++;
        keys.get(keyId)!.running--;
        forget(keyId);
        startWaiting();
      }
    },
  };
}

function isBefore(a: Key, b: Key): boolean {
  return a.running === b.running ? a.lastTurn < b.lastTurn : a.running < b.running;
}
