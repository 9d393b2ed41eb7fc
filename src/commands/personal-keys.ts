import { LRUCache } from 'lru-cache';
import type { DataKey, Keyring } from '../log/port.ts';

/** The keys to seal personal data of these subjects with. @throws LogUnavailableError */
export type PersonalKeys = (subjects: readonly string[]) => Promise<ReadonlyMap<string, DataKey>>;

/**
 * How long a key is used without asking for it again. What is sealed with a key that was forgotten meanwhile is erased
 * with what came before: the less, the shorter.
 */
const FRESH_MS = 1000;
/** Some 300 bytes each. */
const MAX_CACHED = 50_000;

interface Gathering {
  readonly subjects: Set<string>;
  readonly keys: Promise<ReadonlyMap<string, DataKey>>;
}

/**
 * Asks the keyring on the way of every request with updates: requests that were read together share one question, and the
 * users of the last second need none.
 */
export function personalKeys(keyring: () => Pick<Keyring, 'keysFor'>): PersonalKeys {
  const cached = new LRUCache<string, DataKey>({ max: MAX_CACHED, ttl: FRESH_MS });
  let gathering: Gathering | null = null;

  async function ask(subjects: ReadonlySet<string>): Promise<ReadonlyMap<string, DataKey>> {
    await turn();
    gathering = null;
    // Before the question: the answer may be as old as that.
    const start = performance.now();
    const keys = await keyring().keysFor([...subjects]);
    for (const [subject, key] of keys) cached.set(subject, key, { start });
    return keys;
  }

  function gather(subjects: readonly string[]): Promise<ReadonlyMap<string, DataKey>> {
    if (gathering === null) {
      const all = new Set<string>();
      gathering = { subjects: all, keys: ask(all) };
    }
    for (const subject of subjects) gathering.subjects.add(subject);
    return gathering.keys;
  }

  return async (subjects) => {
    const keys = new Map<string, DataKey>();
    const missing: string[] = [];
    for (const subject of subjects) {
      const key = cached.get(subject);
      if (key === undefined) missing.push(subject);
      else keys.set(subject, key);
    }
    if (missing.length === 0) return keys;
    const asked = await gather(missing);
    for (const subject of missing) keys.set(subject, asked.get(subject)!);
    return keys;
  };
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
