import { type ImportedUser, usersImported } from '../../domain/intake/intake-events.ts';
import type { Position } from '../../log/port.ts';
import { existingBot } from '../catalog/change-bot.ts';
import type { CommandContext } from '../decide-and-append.ts';
import { appendIntake } from './append-intake.ts';
import { createImportPace, type WaitForReadModels } from './import-pace.ts';
import { sealImports } from './personal-keys.ts';

/** The most users of a commit, and about the most characters: below the limits of every engine. */
const MAX_USERS = 1000;
const MAX_CHARACTERS = 1_000_000;

/**
 * Appends checked users to a bot's log, in order, with sealed personal fields. Given fields replace, the others stay. So
 * the caller can repeat the import after a failure half way.
 * @param applied waits for read models, so that a long import keeps their pace. Default: no wait
 * @returns the number of users, and the last position
 * @throws Rejection not_found
 */
export async function importUsers(
  { log, sources }: CommandContext,
  bot: string,
  users: AsyncIterable<ImportedUser> | Iterable<ImportedUser>,
  applied: WaitForReadModels = async () => false,
): Promise<{ users: number; position: Position | undefined }> {
  await existingBot(log, bot);
  const pace = createImportPace(applied);
  let imported = 0;
  let position: Position | undefined;
  let items: ImportedUser[] = [];
  let characters = 0;

  async function flush(): Promise<void> {
    if (items.length === 0) return;
    await pace.room();
    const sealed = await sealImports((subjects) => log.keys.keysFor(subjects), sources, bot, items);
    const appended = await appendIntake({ log, sources }, bot, usersImported.create({ items: sealed }));
    imported += items.length;
    position = appended.position;
    pace.appended(position);
    items = [];
    characters = 0;
  }

  for await (const user of users) {
    const size = JSON.stringify(user).length;
    if (characters + size > MAX_CHARACTERS) await flush();
    items.push(user);
    characters += size;
    if (items.length === MAX_USERS) await flush();
  }
  await flush();
  return { users: imported, position };
}
