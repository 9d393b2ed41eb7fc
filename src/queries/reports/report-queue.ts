/** A report waited too long for its turn. It certainly did not run. */
export class ReportNotRunError extends Error {
  override readonly name = 'ReportNotRunError';
  constructor() {
    super('report not started: all report threads are busy; retry');
  }
}

/** Runs at most `places` reports at once. Keys whose reports wait take turns. */
export interface ReportQueue {
  /**
   * Runs `work` when its turn has come. `leftMs`: what is then left of `maxWaitMs` until it must begin.
   * @throws ReportNotRunError when the turn did not come within `maxWaitMs`
   */
  run<T>(keyId: number, work: (leftMs: number) => Promise<T>): Promise<T>;
}

interface Key {
  running: number;
  /** The number of the last turn that it had, 0 for none. */
  lastTurn: number;
  /** What to call when the turn of each has come, in the order in which they were asked for. */
  readonly waiting: Set<() => void>;
}

/**
 * The next place goes to the key with the fewest running reports. Among equals it goes to the key whose last turn is
 * longest ago.
 */
export function reportQueue(places: number, maxWaitMs: number): ReportQueue {
  let free = places;
  let turns = 0;
  /** Keys with reports. */
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

  function handOut(): void {
    for (let key = next(); free > 0 && key !== undefined; key = next()) {
      const [go] = key.waiting;
      key.waiting.delete(go!);
      key.running++;
      key.lastTurn = ++turns;
      free--;
      go!();
    }
  }

  function turnOf(keyId: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const { waiting } = keyOf(keyId);
      const timer = setTimeout(() => {
        waiting.delete(go);
        forget(keyId);
        reject(new ReportNotRunError());
      }, maxWaitMs);
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      waiting.add(go);
      handOut();
    });
  }

  return {
    async run(keyId, work) {
      const deadline = performance.now() + maxWaitMs;
      await turnOf(keyId);
      try {
        return await work(Math.max(0, deadline - performance.now()));
      } finally {
        free++;
        keys.get(keyId)!.running--;
        forget(keyId);
        handOut();
      }
    },
  };
}

function isBefore(a: Key, b: Key): boolean {
  return a.running === b.running ? a.lastTurn < b.lastTurn : a.running < b.running;
}
