import type { ImportedUser, SealedImportedUser, SealedUpdateItem, UpdateItem } from '../../domain/intake/events.ts';
import { isPersonal, type KeyOf, sealImport, sealUpdate, subjectOf } from '../../domain/intake/personal.ts';
import type { Sources } from '../../domain/sources.ts';
import type { PersonalKeys } from './personal-keys.ts';

type RandomSource = Pick<Sources, 'randomBytes'>;

/** The updates as the log may have them: what is personal, sealed. @throws LogUnavailableError */
export async function sealUpdates(
  keys: PersonalKeys,
  { randomBytes }: RandomSource,
  bot: string,
  items: readonly UpdateItem[],
): Promise<SealedUpdateItem[]> {
  const keyOf = await keysOf(keys, bot, items);
  return items.map((item) => sealUpdate(item, keyOf, randomBytes));
}

/** As `sealUpdates`, for users that are imported. @throws LogUnavailableError */
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
