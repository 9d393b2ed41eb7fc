import { LRUCache } from 'lru-cache';
import {
  type ImportedUser,
  type SealedImportedUser,
  type SealedUpdateItem,
  type UpdateItem,
  userErased,
} from '../../domain/intake/intake-events.ts';
import { isPersonal, type KeyOf, sealImport, sealUpdate, subjectOf } from '../../domain/intake/personal.ts';
import type { Sources } from '../../domain/sources.ts';
import type { DataKey, Keyring, Position } from '../../log/port.ts';
import { existingBot } from '../catalog/change-bot.ts';
import type { CommandContext } from '../decide-and-append.ts';
import { appendIntake } from './append-intake.ts';

/** The keys that seal the personal data of these subjects. @throws LogUnavailableError */
export type PersonalKeys = (subjects: readonly string[]) => Promise<ReadonlyMap<string, DataKey>>;

/**
 * How long a key is used without asking the keyring again. Data sealed with a key that was forgotten in this time is
 * erased like the data before it. A shorter time erases less of it.
 */
const FRESH_MS = 1000;
/** About 300 bytes each. */
const MAX_CACHED = 50_000;

interface Cached {
  readonly key: DataKey;
  readonly askedAt: number;
}

interface Gathering {
  readonly subjects: Set<string>;
  readonly keys: Promise<ReadonlyMap<string, DataKey>>;
}

/**
 * Finds keys for every request with updates. Requests of one tick of the event loop share one question to the keyring, and
 * users of the last second need none.
 */
export function personalKeys(
  keyring: () => Pick<Keyring, 'keysFor'>,
  /** Milliseconds of a clock that never goes back. */
  elapsed: () => number = () => performance.now(),
): PersonalKeys {
  const cached = new LRUCache<string, Cached>({ max: MAX_CACHED });
  let gathering: Gathering | null = null;

  async function ask(subjects: ReadonlySet<string>): Promise<ReadonlyMap<string, DataKey>> {
    await tick();
    gathering = null;
    // The time before the question, since the answer may be as old as that.
    const askedAt = elapsed();
    const keys = await keyring().keysFor([...subjects]);
    for (const [subject, key] of keys) cached.set(subject, { key, askedAt });
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
      const known = cached.get(subject);
      if (known !== undefined && elapsed() - known.askedAt <= FRESH_MS) keys.set(subject, known.key);
      else missing.push(subject);
    }
    if (missing.length === 0) return keys;
    const asked = await gather(missing);
    for (const subject of missing) keys.set(subject, asked.get(subject)!);
    return keys;
  };
}

/** One tick of the event loop. */
function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

type RandomSource = Pick<Sources, 'randomBytes'>;

/** The updates with sealed personal fields, as the log has them. @throws LogUnavailableError */
export async function sealUpdates(
  keys: PersonalKeys,
  { randomBytes }: RandomSource,
  bot: string,
  items: readonly UpdateItem[],
): Promise<SealedUpdateItem[]> {
  const keyOf = await keysOf(keys, bot, items);
  return items.map((item) => sealUpdate(item, keyOf, randomBytes));
}

/** As `sealUpdates`, for imported users. @throws LogUnavailableError */
export async function sealImports(
  keys: PersonalKeys,
  { randomBytes }: RandomSource,
  bot: string,
  items: readonly ImportedUser[],
): Promise<SealedImportedUser[]> {
  const keyOf = await keysOf(keys, bot, items);
  return items.map((item) => sealImport(item, keyOf, randomBytes));
}

async function keysOf(keys: PersonalKeys, bot: string, items: readonly (UpdateItem | ImportedUser)[]): Promise<KeyOf> {
  const subjects = new Set(items.filter(isPersonal).map(({ user_id }) => subjectOf(bot, user_id)));
  const found = subjects.size === 0 ? new Map() : await keys([...subjects]);
  return (userId) => found.get(subjectOf(bot, userId))!;
}

/**
 * Erases the personal fields of a bot's user from the whole log: it forgets the keys that sealed them, and appends an event
 * by which read models drop theirs. An unknown or erased user is erased like any other. After a failure half way the
 * caller repeats the command.
 *
 * The keys are forgotten first. Until then another instance may seal with them. If the event came first, a read model
 * could still open what that instance appends after the event, and would hold fields that a rebuild does not.
 * @throws Rejection not_found
 * @throws LogUnavailableError, OutcomeUnknownError repeat it
 */
export async function eraseUser(
  { log, sources }: CommandContext,
  bot: string,
  userId: number,
): Promise<{ position: Position }> {
  await existingBot(log, bot);
  await log.keys.forget(subjectOf(bot, userId));
  return appendIntake({ log, sources }, bot, userErased.create({ user_id: userId }));
}
