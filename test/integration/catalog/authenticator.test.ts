import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeBot, createBot } from '../../../src/commands/catalog/change-bot.ts';
import { changeOwner } from '../../../src/commands/catalog/change-owner.ts';
import { type KeyName, revokeKey, rotateKey } from '../../../src/commands/catalog/keys.ts';
import { DatabaseUnavailableError } from '../../../src/database/database-errors.ts';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { catalogReadModel } from '../../../src/projections/catalog/read-model.ts';
import { type Authenticator, createAuthenticator } from '../../../src/queries/catalog/authenticator.ts';
import { listResources } from '../../../src/queries/catalog/bots.ts';
import { listKeys, ownerOfKey } from '../../../src/queries/catalog/owners.ts';
import { aKey, anOwner } from '../../support/catalog.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { follow } from '../../support/projection.ts';
import { firstSchema } from '../../support/read-model-tables.ts';
import { testSources } from '../../support/test-sources.ts';

const HOUR = 3_600_000;
const catalog = firstSchema(catalogReadModel);

let database: TestDatabase;
const log = memoryLog(3);
const sources = testSources();
const context = { log, sources };
let catchUp: () => Promise<void>;
let ownerId: number;
let shop: { publicKey: string; webhookSecret: string };
let cafe: { publicKey: string };
let alien: { publicKey: string };

beforeAll(async () => {
  database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
  catchUp = await follow(database.pool, catalogReadModel, log);
  ownerId = await anOwner(context);
  shop = await createBot(context, { ownerId, name: 'Shop', username: 'shop_bot' });
  cafe = await createBot(context, { ownerId, name: 'Cafe', timezone: 'Asia/Tokyo' });
  alien = await createBot(context, { ownerId: await anOwner(context), name: 'Alien' });
  await catchUp();
});
afterAll(() => database.drop());

/** An authenticator with a database that the test can cut off, and the number of its look-ups. */
function fixture() {
  let age = 0;
  let down = false;
  let queries = 0;
  const pool = new Proxy(database.pool, {
    get(target, property) {
      if (property !== 'query') return Reflect.get(target, property) as unknown;
      return (config: { text: string; values: unknown[] }) => {
        queries++;
        const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        return down ? Promise.reject(refused) : target.query(config);
      };
    },
  });
  return {
    authenticator: createAuthenticator({ catalog: async () => ({ pool, catalog }), sources, elapsed: () => age }),
    queries: () => queries,
    pass: (ms: number) => {
      age += ms;
    },
    cut: (is: boolean) => {
      down = is;
    },
  };
}

describe('a key', () => {
  let authenticator: Authenticator;
  beforeEach(() => {
    ({ authenticator } = fixture());
  });

  it('stands for its owner, within its scope', async () => {
    const { apiKey, keyId } = await aKey(context, ownerId, [shop.publicKey], { kind: 'personal' });
    await catchUp();
    expect(await authenticator.authenticate(apiKey, true)).toEqual({
      keyId,
      ownerId,
      kind: 'personal',
      scope: { type: 'bots', bots: [shop.publicKey] },
      plan: 'premium',
      currency: 'EUR',
    });
  });

  it('is refused when any part of it is wrong', async () => {
    const { apiKey } = await aKey(context, ownerId, [shop.publicKey]);
    await catchUp();
    const secret = apiKey.slice(apiKey.indexOf(':') + 1);
    const wrong = [
      '',
      ':',
      secret,
      `:${secret}`,
      `${cafe.publicKey}:${secret}`,
      `${shop.publicKey}:${secret.slice(1)}`,
      `${shop.publicKey}:${secret.slice(1)}${secret[0] === 'A' ? 'B' : 'A'}`,
      `${apiKey} `,
      `${apiKey}\0`,
    ];
    for (const text of wrong) expect(await authenticator.authenticate(text, true), text).toBeNull();
  });

  it('works until it expires, and no longer', async () => {
    const { apiKey } = await aKey(context, ownerId, 'all', { expiresAt: sources.now() + HOUR });
    await catchUp();
    expect(await authenticator.authenticate(apiKey, true)).not.toBeNull();
    sources.advance(HOUR - 1);
    expect(await authenticator.authenticate(apiKey, true)).not.toBeNull();
    sources.advance(1);
    expect(await authenticator.authenticate(apiKey, true)).toBeNull();
  });

  it('stays valid during the overlap of its rotation', async () => {
    const old = await aKey(context, ownerId, 'all', { name: 'shop' });
    const next = await rotateKey(context, { ownerId, keyId: old.keyId, overlap: HOUR });
    await catchUp();
    expect(await authenticator.authenticate(old.apiKey, true)).not.toBeNull();
    expect(await authenticator.authenticate(next.apiKey, true)).toMatchObject({ keyId: next.keyId });
    sources.advance(HOUR);
    expect(await authenticator.authenticate(old.apiKey, true)).toBeNull();
    expect(await authenticator.authenticate(next.apiKey, true)).not.toBeNull();
    expect(await ownerOfKey({ pool: database.pool, catalog }, next.keyId)).toBe(ownerId);
    expect(await listKeys({ pool: database.pool, catalog }, ownerId, sources.now())).toContainEqual(
      expect.objectContaining({
        key_id: old.keyId,
        state: 'revoked',
        name: 'shop',
        bots: null,
        expires_at: null,
        revoked_at: new Date(sources.now()).toISOString(),
      }),
    );
  });
});

describe('the resource', () => {
  it('is named by the key or by the caller, and lies within the scope', async () => {
    const { authenticator } = fixture();
    const keys = {
      single: await aKey(context, ownerId, [shop.publicKey]),
      list: await aKey(context, ownerId, [shop.publicKey, cafe.publicKey]),
      all: await aKey(context, ownerId, 'all'),
    };
    await catchUp();
    const resource = async (key: keyof typeof keys, named?: string) => {
      const principal = await authenticator.authenticate(keys[key].apiKey, true);
      const bot = await authenticator.resource(principal!, named, true);
      return typeof bot === 'string' ? bot : bot.name;
    };
    expect(await resource('single')).toBe('Shop');
    expect(await resource('single', shop.publicKey)).toBe('Shop');
    expect(await resource('single', cafe.publicKey)).toBe('forbidden');
    for (const key of ['list', 'all'] as const) {
      expect(await resource(key)).toBe('missing');
      expect(await resource(key, cafe.publicKey)).toBe('Cafe');
      expect(await resource(key, alien.publicKey)).toBe('forbidden');
      expect(await resource(key, 'bNone')).toBe('unknown');
      expect(await resource(key, "' OR 1=1 \0")).toBe('unknown');
    }
    const later = await createBot(context, { ownerId, name: 'Later' });
    await catchUp();
    expect(await resource('list', later.publicKey)).toBe('forbidden');
    expect(await resource('all', later.publicKey)).toBe('Later');
    const source = { pool: database.pool, catalog };
    const names = async (scope: Parameters<typeof listResources>[2]) =>
      (await listResources(source, ownerId, scope)).map(({ name }) => name);
    expect(await names({ type: 'all' })).toEqual(['Shop', 'Cafe', 'Later']);
    expect(await names({ type: 'bots', bots: [cafe.publicKey, alien.publicKey] })).toEqual(['Cafe']);
  });

  it('carries the settings of the bot', async () => {
    const { authenticator } = fixture();
    expect(await authenticator.webhookBot(shop.publicKey, shop.webhookSecret, true)).toEqual({
      bot_id: 1,
      public_key: shop.publicKey,
      owner_id: ownerId,
      name: 'Shop',
      username: 'shop_bot',
      timezone: 'UTC',
      separators: { pair: '_', value: '-' },
      webhook_secret_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await authenticator.webhookBot(shop.publicKey, `${shop.webhookSecret}x`, true)).toBeNull();
    expect(await authenticator.webhookBot('bNone', shop.webhookSecret, true)).toBeNull();
  });
});

describe('the cache', () => {
  it('asks the database at most once a second, however many callers there are', async () => {
    const { authenticator, queries, pass } = fixture();
    const { apiKey } = await aKey(context, ownerId, 'all');
    await catchUp();
    const burst = () => Promise.all(Array.from({ length: 50 }, () => authenticator.authenticate(apiKey, true)));
    expect(new Set((await burst()).map((principal) => principal?.keyId)).size).toBe(1);
    pass(1000);
    await burst();
    expect(queries()).toBe(1);
    pass(1);
    await burst();
    expect(queries()).toBe(2);
  });

  it('sees a change, a revocation too, once the second is over', async () => {
    const { authenticator, pass } = fixture();
    const { apiKey, keyId } = await aKey(context, ownerId, [cafe.publicKey]);
    await catchUp();
    const principal = (await authenticator.authenticate(apiKey, true))!;
    await authenticator.resource(principal, undefined, true);
    await changeOwner(context, ownerId, { plan: 'free' });
    await changeBot(context, cafe.publicKey, { timezone: 'Asia/Seoul' });
    await catchUp();
    pass(1001);
    expect(await authenticator.authenticate(apiKey, true)).toMatchObject({ plan: 'free' });
    expect(await authenticator.resource(principal, undefined, true)).toMatchObject({ timezone: 'Asia/Seoul' });
    await revokeKey(context, { ownerId, keyId });
    await catchUp();
    pass(1001);
    expect(await authenticator.authenticate(apiKey, true)).toBeNull();
  });

  it.each([
    ['revoked', async (key: KeyName) => void (await revokeKey(context, key))],
    ['rotated without an overlap', async (key: KeyName) => void (await rotateKey(context, { ...key, overlap: 0 }))],
  ])('refuses a key that a process %s whose clock was an hour ahead', async (_, end) => {
    const { authenticator } = fixture();
    const { apiKey, keyId } = await aKey(context, ownerId, 'all');
    sources.advance(HOUR);
    await end({ ownerId, keyId });
    sources.advance(-HOUR);
    await catchUp();
    expect(await authenticator.authenticate(apiKey, true)).toBeNull();
  });

  it('finds a new key at once, though it was looked up before', async () => {
    const { authenticator } = fixture();
    const { apiKey } = await aKey(context, ownerId, 'all');
    expect(await authenticator.authenticate(apiKey, true)).toBeNull();
    await catchUp();
    expect(await authenticator.authenticate(apiKey, true)).not.toBeNull();
  });

  it('serves cached rows for a minute while the database is down, to callers that accept them', async () => {
    const { authenticator, cut, pass, queries } = fixture();
    const known = await aKey(context, ownerId, [cafe.publicKey]);
    const other = await aKey(context, ownerId, 'all');
    await catchUp();
    const principal = (await authenticator.authenticate(known.apiKey, true))!;
    await authenticator.resource(principal, undefined, true);
    const expectDown = (answer: Promise<unknown>) => expect(answer).rejects.toBeInstanceOf(DatabaseUnavailableError);
    cut(true);
    expect(await authenticator.authenticate(known.apiKey, false)).toEqual(principal);
    await expectDown(authenticator.authenticate(other.apiKey, true));
    pass(60_000);
    await expectDown(authenticator.authenticate(known.apiKey, false));
    await expectDown(authenticator.resource(principal, undefined, false));
    expect(await authenticator.authenticate(known.apiKey, true)).toEqual(principal);
    expect(await authenticator.resource(principal, undefined, true)).toMatchObject({ name: 'Cafe' });
    const asked = queries();
    expect(await authenticator.authenticate(known.apiKey, true)).toEqual(principal);
    expect(queries(), 'a database that was down a moment ago is not waited for again').toBe(asked);
    pass(1);
    await expectDown(authenticator.authenticate(known.apiKey, true));
    cut(false);
    expect(await authenticator.authenticate(known.apiKey, false)).toEqual(principal);
  });

  it('does not hide an error that is not about the database being down', async () => {
    const broken = createAuthenticator({
      catalog: async () => ({ pool: database.pool, catalog: 'nowhere' }),
      sources,
    });
    const { apiKey } = await aKey(context, ownerId, 'all');
    await expect(broken.authenticate(apiKey, true)).rejects.toMatchObject({ code: '42P01' });
  });
});
