import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../support/service.ts';
import { type SettingsService, startSettingsService } from '../../support/settings.ts';

let settings: SettingsService;
beforeAll(async () => {
  settings = await startSettingsService();
});
afterAll(() => settings.service.stop());

describe('access to the settings', () => {
  interface Operation {
    readonly tags: readonly string[];
    readonly requestBody?: { readonly content: Record<string, { readonly example: object }> };
  }
  /** Each route of the settings, called as its example says. */
  async function routes(): Promise<{ name: string; call: (headers: Record<string, string>) => Promise<Answer> }[]> {
    const { paths } = (await settings.service.get('/openapi.json')).body as {
      paths: Record<string, Record<string, Operation>>;
    };
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags }]) => tags[0] === 'Settings')
        .map(([method, { requestBody }]) => ({
          name: `${method} ${path}`,
          call: (headers: Record<string, string>) =>
            method === 'get'
              ? settings.service.get(path, headers)
              : settings.service.post(path, requestBody!.content['application/json']!.example, headers),
        })),
    );
  }

  it('is refused without a key, with a service key, a personal key and the owner key of another owner', async () => {
    const refused: [string, Record<string, string>, number, string][] = [
      ['no key', { 'resource-key': settings.bot.publicKey }, 401, 'API key missing'],
      [
        'a service key',
        settings.by(await settings.keyFor(settings.bot.ownerId, 'service')),
        403,
        'this needs an owner key',
      ],
      ['a personal key', settings.by(settings.bot.apiKey), 403, 'this needs an owner key'],
      ['the owner key of another owner', settings.by(settings.stranger), 403, 'this key cannot access this resource'],
      [
        "another owner's key for one bot",
        settings.by(settings.other.apiKey),
        403,
        'this key cannot access this resource',
      ],
    ];
    await settings.service.projected();
    const before = await settings.service.log.endCursor();
    const all = await routes();
    expect(all).toHaveLength(23);
    for (const { name, call } of all)
      for (const [key, headers, status, error] of refused) {
        const { status: answered, body } = await call(headers);
        expect([name, key, answered, body.error]).toEqual([name, key, status, expect.stringContaining(error)]);
      }
    expect(await settings.service.log.endCursor()).toEqual(before);
  });

  it('is granted to an owner key', async () => {
    const shop = await settings.service.createBot();
    const key = await settings.keyFor(shop.ownerId, 'owner');
    await settings.service.projected();
    const refused = [];
    for (const { name, call } of await routes()) {
      const { status, body } = await call({ 'api-key': key, 'resource-key': shop.publicKey });
      // The examples name keys, payouts and bots that are not this owner's.
      if (status !== 200) refused.push(`${name} ${status} ${body.error}`);
    }
    expect(refused).toEqual([
      'post /v1/settings/keys/issue 404 there is no bot demo',
      'post /v1/settings/keys/rotate 404 there is no key 1',
      'post /v1/settings/keys/revoke 404 there is no key 1',
      'post /v1/settings/webhook/redeliver 404 the bot has no payout 1',
    ]);
  });

  it('an owner key does what a personal key does', async () => {
    expect((await settings.service.get('/v1/reports/list', settings.by(settings.owner))).status).toBe(200);
    const session = await settings.service.post(
      '/console/session',
      { key: settings.owner },
      { 'sec-fetch-site': 'same-origin' },
    );
    expect(session).toMatchObject({ status: 200, body: { data: { kind: 'owner', all_bots: true } } });
    const cookie = session.headers.get('set-cookie')!.split(';', 1)[0]!;
    const named = { cookie, 'resource-key': settings.bot.publicKey, 'sec-fetch-site': 'same-origin' };
    expect((await settings.service.get('/v1/settings/keys', named)).status).toBe(200);
    expect((await settings.service.post('/v1/settings/bots/set', { name: 'By session' }, named)).status).toBe(200);
    const forged = { ...named, 'sec-fetch-site': 'cross-site' };
    expect((await settings.service.post('/v1/settings/bots/set', { name: 'Forged' }, forged)).status).toBe(403);
    expect(await settings.list('bots')).toContainEqual(expect.objectContaining({ name: 'By session' }));
  });

  it('of a key for one bot ends at that bot', async () => {
    const narrow = await settings.keyFor(settings.bot.ownerId, 'owner', [settings.bot.publicKey]);
    await settings.service.projected();
    const second = (await settings.set('bots/create', { name: 'Second' })).body.data.resource_key;
    expect((await settings.list('bots', narrow)).map((row: { resource_key: string }) => row.resource_key)).toEqual([
      settings.bot.publicKey,
    ]);
    expect((await settings.set('bots/create', { name: 'Third' }, narrow)).status).toBe(403);
    expect((await settings.set('bots/set', { name: 'x' }, narrow, { 'resource-key': second })).status).toBe(403);
    expect((await settings.set('keys/issue', { bots: 'all' }, narrow)).status).toBe(404);
    expect((await settings.set('keys/issue', { bots: [second] }, narrow)).status).toBe(404);
    const all = await settings.list('keys');
    const seen = await settings.list('keys', narrow);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThan(all.length);
    for (const { bots } of seen) expect(bots).toEqual([settings.bot.publicKey]);
    const wide = all.find(({ is_own }: { is_own: boolean }) => is_own).key_id;
    expect((await settings.set('keys/revoke', { key_id: wide }, narrow)).status).toBe(404);
    expect((await settings.set('keys/rotate', { key_id: wide }, narrow)).status).toBe(404);
  });
});
