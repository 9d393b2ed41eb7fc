import { botCreated } from '../../src/domain/catalog/catalog-events.ts';

/** The event of a bot that was created, for tests that write its stream themselves. */
export const aBotCreated = (bot_id: number, public_key: string) =>
  botCreated.create({
    bot_id,
    public_key,
    owner_id: 1,
    webhook_secret_hash: '',
    token: null,
    name: '',
    username: null,
    timezone: 'UTC',
    pair_separator: '',
    value_separator: '',
    referral_new_users_only: false,
    auto_payout: 'off',
    paid_broadcasts: false,
  });
