import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './client.ts';

/** The id of a payment's event is the same for every bot. */
const PAYMENT = 3;
const RULES = [
  { name: '5 % of orders', percent: '5', hold_days: '0' },
  { name: '2 % more after two weeks', percent: '2', hold_days: '14' },
];
/** Referrers with a payout or a reversal. */
const SHOWN = 3;
const INTERVAL_MS = 200;
const PATIENCE_MS = 10_000;

/** Creates rules by which referrers earn, if the bot has none: later events earn. */
export async function createRules(client: Client): Promise<void> {
  const { items } = (await client.get('settings/rules')).data as { readonly items: readonly unknown[] };
  if (items.length > 0) return;
  for (const rule of RULES)
    await client.post('settings/rules/create', { ...rule, trigger_event_id: PAYMENT, reward_type: 'percent' });
}

interface Referrer {
  readonly user_id: number;
  readonly balance: readonly { readonly available: number }[];
}

/**
 * Pays some rewards, if there are no payouts yet: one by hand (it waits to be confirmed) and one by webhook (it fails
 * because the bot has no webhook). Takes back an accrual of a third referrer. Fewer, if fewer have earned anything.
 */
export async function payReferrers(client: Client): Promise<void> {
  const { payouts } = (await client.get('referral/all-payouts?limit=1')).data as {
    readonly payouts: readonly unknown[];
  };
  if (payouts.length > 0) return;
  const [first, second, third] = await referrersWithMoney(client);
  if (first !== undefined) await client.post('referral/payout', { user_id: first, method: 'manual' });
  if (second !== undefined) await client.post('referral/payout', { user_id: second });
  if (third === undefined) return;
  const { entries } = (await client.get(`referral/entries?user_id=${third}&limit=1`)).data as {
    readonly entries: readonly { readonly accrual_id: number }[];
  };
  for (const { accrual_id } of entries)
    await client.post('referral/reverse-accrual', { accrual_id, reason: 'The order was returned' });
}

/**
 * Users with an available balance, most referrals first. Waits until the first ones that are shown have earned, for a
 * limited time: some may never earn. Rewards follow the events that earn them within seconds, one referrer after
 * another.
 */
async function referrersWithMoney(client: Client): Promise<number[]> {
  const began = performance.now();
  for (;;) {
    const { referrers } = (await client.get('referral/referrers?limit=10')).data as {
      readonly referrers: readonly Referrer[];
    };
    const hasMoney = ({ balance }: Referrer): boolean => balance.some(({ available }) => available > 0);
    if (referrers.slice(0, SHOWN).every(hasMoney) || performance.now() - began > PATIENCE_MS)
      return referrers.filter(hasMoney).map(({ user_id }) => user_id);
    await pause(INTERVAL_MS);
  }
}
