import { issueKey } from '../../src/commands/catalog/keys.ts';
import type { KeyKind } from '../../src/domain/catalog/catalog-events.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import { type Answer, startTestService, type TestBot, type TestService } from './service.ts';

/** A service with two owners, and calls of its settings. */
export interface SettingsService {
  readonly service: TestService;
  readonly bot: TestBot;
  /** A bot of another owner. Its key is an owner key only for it. */
  readonly other: TestBot;
  /** Owner keys for all bots: of the bot's owner, and of the other owner. */
  readonly owner: string;
  readonly stranger: string;
  keyFor(ownerId: number, kind: KeyKind, bots?: 'all' | string[]): Promise<string>;
  /** Headers of a request by a key, about the bot. */
  by(key: string, more?: Record<string, string>): Record<string, string>;
  /** Calls a POST below /v1/settings, by default with the key `owner`. */
  set(path: string, body: object, key?: string, more?: Record<string, string>): Promise<Answer>;
  /** The items of a list below /v1/settings. */
  list(path: string, key?: string): Promise<Answer['body']>;
  /** The log as text, to look for secrets in it. */
  logText(): Promise<string>;
}

/** @param changes to the environment of the service */
export async function startSettingsService(
  changes: Record<string, string> = {},
  readModels?: readonly ReadModel[],
): Promise<SettingsService> {
  const service = await startTestService(changes, undefined, undefined, readModels);
  const keyFor: SettingsService['keyFor'] = async (ownerId, kind, bots = 'all') => {
    const { apiKey } = await issueKey(service.commands, { ownerId, bots, kind, name: null, expiresAt: null });
    await service.projected();
    return apiKey;
  };
  const bot = await service.createBot();
  const other = await service.createBot({ kind: 'owner' });
  const owner = await keyFor(bot.ownerId, 'owner');
  const stranger = await keyFor(other.ownerId, 'owner');
  const by: SettingsService['by'] = (key, more = {}) => ({ 'api-key': key, 'resource-key': bot.publicKey, ...more });
  return {
    service,
    bot,
    other,
    owner,
    stranger,
    keyFor,
    by,
    set: (path, body, key = owner, more = {}) => service.post(`/v1/settings/${path}`, body, by(key, more)),
    list: async (path, key = owner) => (await service.get(`/v1/settings/${path}`, by(key))).body.data.items,
    async logText() {
      const texts: string[] = [];
      for await (const batch of service.log.storedRecords(new AbortController().signal))
        texts.push(JSON.stringify(batch));
      return texts.join('\n');
    },
  };
}
