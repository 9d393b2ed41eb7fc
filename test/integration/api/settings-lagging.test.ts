import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { type SettingsService, startSettingsService } from '../../support/settings.ts';
import { watchedReadModels } from '../../support/watched-read-models.ts';

/** The read models that are held back, by name: each waits before it applies commits. */
const held = new Set<string>();
let release: () => void;
let released: Promise<void>;
const models = watchedReadModels(async (name) => {
  if (held.has(name)) await released;
});

let settings: SettingsService;
beforeAll(async () => {
  settings = await startSettingsService({ MAX_WAIT_MS: '3000' }, models);
});
beforeEach(() => {
  released = new Promise((resolve) => {
    release = () => {
      held.clear();
      resolve();
    };
  });
});
afterAll(() => {
  release();
  return settings.service.stop();
});

it('a goal is answered as lagging until the names of events have it', async () => {
  held.add('events');
  const late = await settings.set('goals/create', { target_id: 21, name: 'Late' });
  expect(late.body).toMatchObject({ ok: true, lagging: true });
  release();
  await settings.service.projected();
  expect((await settings.set('goals/create', { target_id: 22, name: 'Trial' })).body).not.toHaveProperty('lagging');
  const events = await settings.service.get('/v1/reports/events', settings.by(settings.owner));
  expect(events.body.data.items).toContainEqual(expect.objectContaining({ name: 'Trial' }));
});

it('a rule is answered as lagging until the program has it', async () => {
  const rule = { trigger_event_id: 1, reward_type: 'percent', percent: 10 };
  held.add('referral');
  expect((await settings.set('rules/create', { name: 'Late', ...rule })).body).toMatchObject({ lagging: true });
  release();
  await settings.service.projected();
  expect((await settings.set('rules/create', { name: 'Sale', ...rule })).body).not.toHaveProperty('lagging');
  const program = await settings.service.get('/v1/referral/program', settings.by(settings.owner));
  expect(program.body.data.rules).toMatchObject([{ name: 'Late' }, { name: 'Sale', percent: 10 }]);
});

it('a payout that the accounts do not have yet is not answered as unknown', async () => {
  const { publicKey: bot } = settings.bot;
  const terms = { reward_type: 'fixed', amount: '5', percent: null, unit_id: null, hold_days: '0' } as const;
  const event = { commit_id: randomUUID(), index: 0, event_id: 1, date: Date.now(), received: Date.now() };
  const items = [{ rule: { rule_id: 9, ...terms }, referral_id: 2, event }];
  await accrueRewards(createAccounts(settings.service.commands), { bot, referrer: 1, items });
  await settings.service.projected();
  held.add('accounts');
  const asked = { user_id: 1, method: 'manual' };
  const payout = await settings.service.post('/v1/referral/payout', asked, settings.by(settings.owner));
  expect(payout.body).toMatchObject({ ok: true, lagging: true });
  const { payout_id } = payout.body.data;
  expect((await settings.set('webhook/redeliver', { payout_id })).status).toBe(503);
  release();
  await settings.service.projected();
  expect((await settings.set('webhook/redeliver', { payout_id })).status).toBe(409);
  expect((await settings.set('webhook/redeliver', { payout_id: payout_id + 1 })).status).toBe(404);
});
