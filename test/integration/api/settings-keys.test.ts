import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SettingsService, startSettingsService } from '../../support/settings.ts';

let settings: SettingsService;
beforeAll(async () => {
  settings = await startSettingsService();
});
afterAll(() => settings.service.stop());

describe('keys', () => {
  it('a key is issued, works, is rotated, and stops when it is revoked', async () => {
    const issued = await settings.set('keys/issue', { bots: [settings.bot.publicKey], kind: 'personal', name: 'Ann' });
    const { key_id, api_key } = issued.body.data;
    expect((await settings.service.get('/v1/reports/list', { 'api-key': api_key })).status).toBe(200);
    const rotated = (await settings.set('keys/rotate', { key_id, overlap_seconds: 0 })).body.data;
    await expect
      .poll(async () => (await settings.service.get('/v1/reports/list', { 'api-key': api_key })).status)
      .toBe(401);
    expect((await settings.service.get('/v1/reports/list', { 'api-key': rotated.api_key })).status).toBe(200);
    expect((await settings.set('keys/revoke', { key_id: rotated.key_id })).body.data).toEqual({
      key_id: rotated.key_id,
    });
    await expect
      .poll(async () => (await settings.service.get('/v1/reports/list', { 'api-key': rotated.api_key })).status)
      .toBe(401);
    const rows = await settings.list('keys');
    expect(rows).toContainEqual(
      expect.objectContaining({ key_id: rotated.key_id, kind: 'personal', name: 'Ann', rotates: key_id }),
    );
    expect(JSON.stringify(rows)).not.toContain(api_key.split(':')[1]);
  });

  it('a repeat under an Idempotency-Key issues nothing and does not show the value again', async () => {
    const body = { bots: 'all', kind: 'service', name: 'once' };
    const key = { 'idempotency-key': 'issue once' };
    const first = await settings.set('keys/issue', body, settings.owner, key);
    const again = await settings.set('keys/issue', body, settings.owner, key);
    expect(again).toMatchObject({ status: 200, body: { data: { key_id: first.body.data.key_id, api_key: null } } });
    expect((await settings.set('keys/issue', { ...body, name: 'twice' }, settings.owner, key)).status).toBe(422);
    const named = (await settings.list('keys')).filter(({ name }: { name: string }) => name === 'once');
    expect(named).toHaveLength(1);
    expect(await settings.logText()).not.toContain(first.body.data.api_key.split(':')[1]);
  });

  it('an owner key issues no owner key, and does not lock its holder out', async () => {
    expect(await settings.set('keys/issue', { bots: 'all', kind: 'owner' })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'kind', allowed: ['personal', 'service'] }] },
    });
    const own = (await settings.list('keys')).find(({ is_own }: { is_own: boolean }) => is_own).key_id;
    expect((await settings.set('keys/revoke', { key_id: own })).status).toBe(409);
    expect(await settings.set('keys/rotate', { key_id: own, overlap_seconds: 599 })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'overlap_seconds' }] },
    });
    const mine = await settings.keyFor(settings.bot.ownerId, 'owner');
    await settings.service.projected();
    const id = (await settings.list('keys', mine)).find(({ is_own }: { is_own: boolean }) => is_own).key_id;
    const next = (await settings.set('keys/rotate', { key_id: id, overlap_seconds: 600 }, mine)).body.data;
    expect((await settings.list('keys', next.api_key)).find(({ is_own }: { is_own: boolean }) => is_own).kind).toBe(
      'owner',
    );
    // The answer with the new value was lost: the old key also replaces the new one.
    expect((await settings.set('keys/rotate', { key_id: next.key_id }, mine)).status).toBe(200);
  });

  it("have a state by the service's clock, which also ends them", async () => {
    const stateOf = async (id: number): Promise<string> =>
      (await settings.list('keys')).find(({ key_id }: { key_id: number }) => key_id === id).state;
    const soon = new Date(Date.now() + 2000).toISOString();
    const short = (await settings.set('keys/issue', { bots: 'all', expires_at: soon })).body.data;
    const key = (await settings.set('keys/issue', { bots: 'all' })).body.data;
    const next = (await settings.set('keys/rotate', { key_id: key.key_id })).body.data;
    expect([await stateOf(key.key_id), await stateOf(next.key_id)]).toEqual(['valid', 'valid']);
    await settings.set('keys/revoke', { key_id: next.key_id });
    expect(await stateOf(next.key_id)).toBe('revoked');
    await expect.poll(() => stateOf(short.key_id)).toBe('expired');
    expect((await settings.service.get('/v1/reports/list', { 'api-key': short.api_key })).status).toBe(401);
  });

  it('are listed in parts, the latest first', async () => {
    const all = (await settings.list('keys')).map(({ key_id }: { key_id: number }) => key_id);
    expect(all).toEqual(all.toSorted((a: number, b: number) => b - a));
    expect(await settings.list('keys?limit=1&offset=1')).toMatchObject([{ key_id: all[1] }]);
  });

  it("another owner's bots and keys are not within reach", async () => {
    expect((await settings.set('keys/issue', { bots: [settings.other.publicKey] })).status).toBe(404);
    const [theirs] = (await settings.service.get('/v1/settings/keys', { 'api-key': settings.stranger })).body.data
      .items;
    expect((await settings.set('keys/revoke', { key_id: theirs.key_id })).status).toBe(404);
    expect((await settings.set('keys/rotate', { key_id: theirs.key_id })).status).toBe(404);
    expect((await settings.list('keys')).map(({ key_id }: { key_id: number }) => key_id)).not.toContain(theirs.key_id);
  });

  it('say when they were last used, to the minute', async () => {
    const issued = (await settings.set('keys/issue', { bots: [settings.bot.publicKey], name: 'used' })).body.data;
    const lastUse = async (): Promise<string | null> =>
      (await settings.list('keys')).find(({ key_id }: { key_id: number }) => key_id === issued.key_id).last_used_at;
    expect(await lastUse()).toBeNull();
    const before = Date.now();
    for (let i = 0; i < 5; i++) await settings.service.get('/v1/reports/events', { 'api-key': issued.api_key });
    await expect.poll(lastUse).not.toBeNull();
    const at = Date.parse((await lastUse())!);
    expect(at % 60_000).toBe(0);
    expect(at).toBeGreaterThan(before - 60_000);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['no scope', {}, 'bots'],
    ['an empty scope', { bots: [] }, 'bots'],
    ['an unknown kind', { bots: 'all', kind: 'admin' }, 'kind'],
    ['an end in the past', { bots: 'all', expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['an end that is no date', { bots: 'all', expires_at: 'tomorrow' }, 'expires_at'],
    ['a name with U+0000', { bots: 'all', name: 'a\0b' }, 'name'],
  ])('are refused with %s', async (_, body, path) => {
    expect(await settings.set('keys/issue', body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });
});
