import { beforeEach, describe, expect, it } from 'vitest';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { eraseUser } from '../../../src/commands/intake/personal-keys.ts';
import { receiveUpdates } from '../../../src/commands/intake/receive.ts';
import { subjectOf } from '../../../src/domain/intake/personal.ts';
import { LogUnavailableError } from '../../../src/log/port.ts';
import { anOwner } from '../../support/catalog.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

const down = (): Promise<never> => Promise.reject(new LogUnavailableError('down'));
const sources = testSources();
let log: MemoryLog;
let bot: string;
let keyId: string;

beforeEach(async () => {
  log = memoryLog();
  const ownerId = await anOwner({ log, sources });
  bot = (await createBot({ log, sources }, { ownerId, name: 'Shop' })).publicKey;
  const flags = { update_id: 1, user_id: 42, makes_user: true, is_bot: false, is_premium: false };
  await receiveUpdates({ log, sources })(bot, [{ ...flags, person: { first_name: 'Ada' } }], {});
  keyId = (await log.keys.keysFor([subjectOf(bot, 42)])).get(subjectOf(bot, 42))!.id;
});

const isKept = async (): Promise<boolean> => (await log.keys.find([keyId])).size > 0;
const erasures = () => log.commits.flat().flatMap(({ events }) => events.filter(({ type }) => type === 'user_erased'));

describe('the erasure of a user', () => {
  it('forgets the key of the update, and records that in the log', async () => {
    expect(JSON.stringify(log.commits)).toContain(`1.${keyId}.`);
    await eraseUser({ log, sources }, bot, 42);
    expect(await isKept()).toBe(false);
    expect(erasures()).toEqual([{ type: 'user_erased', v: 1, data: { user_id: 42 } }]);
  });

  it('forgets the key before it appends, so that no read model opens later events with the old key', async () => {
    await expect(eraseUser({ log: { ...log, append: down }, sources }, bot, 42)).rejects.toThrow(LogUnavailableError);
    expect(await isKept()).toBe(false);
    await eraseUser({ log, sources }, bot, 42);
    expect(erasures()).toHaveLength(1);
  });

  it('appends nothing while the key cannot be forgotten', async () => {
    const keys = { ...log.keys, forget: down };
    await expect(eraseUser({ log: { ...log, keys }, sources }, bot, 42)).rejects.toThrow(LogUnavailableError);
    expect([await isKept(), erasures()]).toEqual([true, []]);
  });

  it('of one user keeps the keys of other users', async () => {
    await eraseUser({ log, sources }, bot, 4);
    await eraseUser({ log, sources }, bot, 420);
    expect(await isKept()).toBe(true);
  });
});
