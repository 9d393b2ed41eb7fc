import type { Send } from './send.ts';
import type { TestBot } from './service.ts';

/** Changes every setting of an owner. @returns the bot's new secret for the platform's webhook */
export async function fillSettings({ publicKey }: TestBot, send: Send): Promise<string> {
  await send('settings/bots/set', { name: 'Shop' });
  const { key_id } = (await send('settings/keys/issue', { bots: [publicKey], name: 'Server' })).data;
  const rotated = (await send('settings/keys/rotate', { key_id })).data;
  await send('settings/keys/revoke', { key_id: rotated.key_id });
  await send('settings/goals/create', { target_id: 6, name: 'Purchase' });
  await send('settings/events/describe', { event_id: 1, title: 'Started', hidden: true });
  await send('settings/units/create', { code: 'COI', name: 'Coins', scale: 0 });
  const rule = { name: 'Visit', trigger_event_id: 1, reward_type: 'fixed', amount: '1', currency: 'USD' };
  const { rule_id } = (await send('settings/rules/create', rule)).data;
  await send('settings/rules/edit', { rule_id, active: false });
  await send('settings/webhook/set', { url: 'https://shop.example/payouts' });
  await send('settings/webhook/rotate-secret', {});
  return (await send('settings/bots/rotate-webhook-secret', {})).data.webhook_secret;
}
