import { createAccounts } from '../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../src/commands/referral/accrue-rewards.ts';
import { createRule, setRate } from '../../src/commands/referral/change-rule.ts';
import { administerPayout } from '../../src/commands/referral/payouts.ts';
import { item, percentItem } from './account-samples.ts';
import type { Send } from './send.ts';
import type { TestBot, TestService } from './service.ts';

/** The owner of the account. */
export const REFERRER = 9;

/**
 * Fills an account with every kind of entry: rewards at once and on hold, locked and individual rates, payouts
 * requested, paid and cancelled, and reversals of paid and unpaid accruals. Returns the id of a reversed accrual.
 */
export async function fillAccount(service: TestService, { publicKey: bot }: TestBot, send: Send): Promise<number> {
  const accounts = createAccounts(service.commands);
  const account = { bot, userId: REFERRER };
  const rule = { bot, name: 'Order', trigger_event_id: 1, unit_id: 1, hold_days: '0' };
  const { ruleId } = await createRule(service.commands, { ...rule, reward_type: 'fixed', amount: '5', percent: null });
  await createRule(service.commands, { ...rule, reward_type: 'percent', amount: null, percent: '2.9', unit_id: null });
  await setRate(accounts, { ...account, ruleId, amount: '4.5' });
  const received = service.commands.sources.now();
  const earn = (...items: Parameters<typeof accrueRewards>[1]['items']) =>
    accrueRewards(accounts, {
      bot,
      referrer: REFERRER,
      items: items.map((each) => ({ ...each, event: { ...each.event, date: received, received } })),
    });
  // Rewards in a currency without a unit, without a value, on hold, and of a negative value.
  const euros = { base: { value: '500', rate: '1', unit: { currency: 'EUR' } } };
  await earn(item(0, { rule: { rule_id: ruleId } }), percentItem(1, '2.9', '', euros));
  const refused = percentItem(3, '2.9', '', { base: undefined, refusal: 'no_value' });
  await earn(item(2, { rule: { rule_id: ruleId, hold_days: '30' } }), refused, percentItem(4, '2.9', '-1'));
  const { payout_ids } = (await send('referral/payout', { user_id: REFERRER, method: 'manual' })).data;
  const administer = (payoutId: number, action: 'confirm' | 'cancel') =>
    administerPayout(accounts, { ...account, payoutId, action, force: false });
  await administer(payout_ids[0], 'confirm');
  await administer(payout_ids[1], 'cancel');
  await earn(item(5, { rule: { rule_id: ruleId } }));
  await send('referral/payout', { user_id: REFERRER, method: 'manual' });
  await service.projected();
  const [first, second] = await accounts.view(account, ({ open }) => [...open.accruals.keys()]);
  await send('referral/reverse-accrual', { accrual_id: first, reason: 'returned' });
  await send('referral/reverse-accrual', { accrual_id: second });
  return first!;
}
