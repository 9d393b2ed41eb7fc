import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SettingsService, startSettingsService } from '../../support/settings.ts';

let settings: SettingsService;
beforeAll(async () => {
  settings = await startSettingsService();
});
afterAll(() => settings.service.stop());

/** Sends a change under an Idempotency-Key. */
const under = (key: string, path: string, body: object) =>
  settings.set(path, body, settings.owner, { 'idempotency-key': key });

it('a change that changes nothing takes its Idempotency-Key', async () => {
  await settings.set('bots/set', { name: 'N2' });
  expect((await under('same name', 'bots/set', { name: 'N2' })).status).toBe(200);
  expect((await under('same name', 'bots/set', { name: 'N3' })).status).toBe(422);
  expect((await under('same name', 'bots/set', { name: 'N2' })).status).toBe(200);
  expect(await settings.list('bots')).toContainEqual(expect.objectContaining({ name: 'N2' }));

  const terms = { trigger_event_id: 1, reward_type: 'percent', percent: 10 };
  const { rule_id } = (await settings.set('rules/create', { name: 'Sale', ...terms })).body.data;
  expect((await under('same rule', 'rules/edit', { rule_id, name: 'Sale' })).status).toBe(200);
  expect((await under('same rule', 'rules/edit', { rule_id, name: 'Sold' })).status).toBe(422);
  await settings.service.projected();
  const program = await settings.service.get('/v1/referral/program', settings.by(settings.owner));
  expect(program.body.data.rules).toMatchObject([{ rule_id, name: 'Sale' }]);

  const issued = async (): Promise<number> =>
    (await settings.set('keys/issue', { bots: [settings.bot.publicKey] })).body.data.key_id;
  const [key_id, other] = [await issued(), await issued()];
  await settings.set('keys/revoke', { key_id });
  const revoked = await settings.list('keys');
  expect((await under('same key', 'keys/revoke', { key_id })).status).toBe(200);
  expect((await under('same key', 'keys/revoke', { key_id: other })).status).toBe(422);
  expect(await settings.list('keys')).toEqual(revoked);
});

it('a repeat appends nothing, and answers without the secrets of the first time', async () => {
  const make = async () => [
    await under('twice', 'bots/create', { name: 'Twice' }),
    await under('twice', 'keys/issue', { bots: 'all', name: 'Twice' }),
    await under('twice', 'units/create', { code: 'TWO' }),
    await under('twice', 'rules/create', { name: 'Two', trigger_event_id: 1, reward_type: 'percent', percent: 2 }),
    await under('twice', 'webhook/set', { url: 'https://shop.example/payouts' }),
    await under('twice', 'bots/rotate-webhook-secret', {}),
  ];
  const secret = /^(webhook_secret|api_key|secret)$/;
  const first = (await make()).map(({ body }) => body);
  const log = await settings.logText();
  const again = (await make()).map(({ body }) => body);
  expect(await settings.logText()).toBe(log);
  expect(again).toEqual(
    first.map((body) => JSON.parse(JSON.stringify(body), (name, value) => (secret.test(name) ? null : value))),
  );
  expect(first.every(({ data }) => Object.values(data).every((value) => value !== null))).toBe(true);
});
