import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { schemaCatchesUp } from '../../../src/projections/runtime/wait-for-read-models.ts';
import { type Authenticator, createAuthenticator } from '../../../src/queries/catalog/authenticator.ts';
import { firstReader } from '../../support/read-model-tables.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';
import { spied } from '../../support/spied-pool.ts';

/** How many statements wrong keys cost (decisions.md#wrong-keys). */

let service: TestService;
let bot: TestBot;
let statements: string[];
let authenticator: Authenticator;
beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot();
});
beforeEach(() => {
  statements = [];
  const { pool } = service.database;
  authenticator = createAuthenticator({
    catalog: () => firstReader(spied(pool, statements)).at('catalog'),
    isCaughtUp: schemaCatchesUp(service.log, pool),
    sources: service.commands.sources,
  });
});
afterAll(() => service.stop());

const wrong = (n: number): string => `${bot.publicKey}:${`wrong${n}`.padEnd(43, 'x')}`;
const looked = (): number => statements.filter((name) => /find_(?:key|bot)s?$/.test(name)).length;

it('2,000 different wrong keys cost few statements', async () => {
  for (let from = 0; from < 2000; from += 200) {
    const some = Array.from({ length: 200 }, (_, n) => authenticator.authenticate(wrong(from + n), false));
    expect(await Promise.all(some)).toEqual(some.map(() => null));
  }
  expect(looked()).toBeLessThan(30);
});

it('a repeated wrong key costs no statement once it is confirmed', async () => {
  expect(await authenticator.authenticate(wrong(1), false)).toBeNull();
  await expect.poll(looked).toBeGreaterThanOrEqual(2);
  /** A slow machine may look again: a key stays confirmed for a time only. */
  async function lookedBy500(): Promise<number> {
    const before = looked();
    for (let n = 0; n < 500; n++) expect(await authenticator.authenticate(wrong(1), false)).toBeNull();
    return looked() - before;
  }
  await expect.poll(lookedBy500).toBe(0);
});

it('2,000 invented bots of webhooks cost few statements', async () => {
  const some = Array.from({ length: 2000 }, (_, n) => authenticator.webhookBot(`invented${n}`, 'secret', false));
  expect(new Set(await Promise.all(some))).toEqual(new Set([null]));
  expect(looked()).toBeLessThan(5);
});

it('a key works at once when the catalog has it, though it was shown before', async () => {
  const key = { ownerId: bot.ownerId, bots: [bot.publicKey], kind: 'service', name: null, expiresAt: null } as const;
  const { apiKey } = await issueKey(service.commands, key);
  await Promise.all([authenticator.authenticate(apiKey, false), service.projected()]);
  expect(await authenticator.authenticate(apiKey, false)).toMatchObject({ ownerId: bot.ownerId });
});
