import { describe, expect, it } from 'vitest';
import {
  type BotEvent,
  type BotSettings,
  bot,
  changeBot,
  createBot,
  createCurrencyUnit,
  createUnit,
  rotateWebhookSecret,
  tokenProblem,
} from '../../../src/domain/catalog/bot.ts';
import { given } from '../../support/decider-specification.ts';

const identity = { bot_id: 5, public_key: 'bPublic', owner_id: 7, webhook_secret_hash: 'h1', name: 'Shop' };
const defaults = {
  username: null,
  token: null,
  timezone: 'UTC',
  pair_separator: '_',
  value_separator: '-',
  referral_new_users_only: false,
  auto_payout: 'off' as const,
  paid_broadcasts: false,
};
const created: BotEvent = { type: 'bot_created', data: { ...identity, ...defaults } };

describe('a bot', () => {
  it('is created with defaults, once', () => {
    given(bot)
      .when((state) => createBot(state, identity))
      .yields(created);
    given(bot)
      .when((state) => createBot(state, { ...identity, timezone: 'Asia/Kolkata', username: undefined }))
      .yields({ type: 'bot_created', data: { ...identity, ...defaults, timezone: 'Asia/Kolkata' } });
    given(bot, created)
      .when((state) => createBot(state, identity))
      .isRefused('conflict', 'bot');
  });

  it.each<[string, BotSettings]>([
    ['name', { name: '' }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['timezone', { timezone: '+02:00' }],
    ['username', { username: '@shop' }],
    ['pair_separator', { pair_separator: '' }],
    ['value_separator', { value_separator: '=' }],
    ['value_separator', { value_separator: '_' }],
  ])('refuses a %s as in %j', (path, settings) => {
    given(bot, created)
      .when((state) => changeBot(state, settings))
      .isRefused('invalid', path);
  });

  it('swaps the separators in one change', () => {
    given(bot, created)
      .when((state) => changeBot(state, { pair_separator: '-', value_separator: '_' }))
      .yields({ type: 'bot_changed', data: { pair_separator: '-', value_separator: '_' } });
  });

  it('records the settings that differ, null included', () => {
    const named: BotEvent = { type: 'bot_changed', data: { username: 'shop_bot' } };
    given(bot, created, named)
      .when((state) => changeBot(state, { username: null, timezone: 'UTC' }))
      .yields({ type: 'bot_changed', data: { username: null } });
    given(bot, created)
      .when((state) => changeBot(state, { auto_payout: 'daily', username: 'shop_bot' }))
      .isIdempotent();
  });

  it('replaces its webhook secret', () => {
    given(bot, created)
      .when((state) => rotateWebhookSecret(state, 'h2'))
      .yields({ type: 'webhook_secret_rotated', data: { webhook_secret_hash: 'h2' } });
    const rotated: BotEvent = { type: 'webhook_secret_rotated', data: { webhook_secret_hash: 'h2' } };
    expect(given(bot, created, rotated).state().bot).toEqual({ ...created.data, webhook_secret_hash: 'h2' });
  });

  it('must exist to be changed', () => {
    given(bot)
      .when((state) => changeBot(state, { name: 'x' }))
      .isRefused('not_found', 'bot');
    given(bot)
      .when((state) => rotateWebhookSecret(state, 'h'))
      .isRefused('not_found', 'bot');
    given(bot)
      .when((state) => createUnit(state, { unit_id: 1, code: 'USD', name: null }))
      .isRefused('not_found', 'bot');
  });
});

describe("a bot's unit", () => {
  it('is stored in capitals, with two decimals unless others are given', () => {
    const unit = { unit_id: 9, code: 'GEM', name: null };
    given(bot, created)
      .when((state) => createUnit(state, { ...unit, code: 'gem' }))
      .yields({ type: 'unit_created', data: { ...unit, scale: 2 } });
    given(bot, created)
      .when((state) => createUnit(state, { ...unit, scale: 0 }))
      .yields({ type: 'unit_created', data: { ...unit, scale: 0 } });
  });

  it.each([
    ['USD', 2],
    ['JPY', 0],
    ['BHD', 3],
    ['XTR', 0],
  ])('%s is a currency: the ledger’s unit with its decimals, never the bot’s own', (code, scale) => {
    given(bot, created)
      .when((state) => createCurrencyUnit(state, 9, code))
      .yields({ type: 'unit_created', data: { unit_id: 9, code, name: null, scale } });
    for (const written of [code, code.toLowerCase()])
      given(bot, created)
        .when((state) => createUnit(state, { unit_id: 9, code: written, name: null, scale }))
        .isRefused('invalid', 'code');
  });

  it.each(['ß', 'ı', 'ßßß', 'é', '', 'A-B'])('%j is no code: codes have ASCII letters and digits only', (code) => {
    given(bot, created)
      .when((state) => createUnit(state, { unit_id: 9, code, name: null }))
      .isRefused('invalid', 'code');
  });

  it('is refused if its code is taken, in any case, or too long, or its scale is out of bounds', () => {
    const unit: BotEvent = { type: 'unit_created', data: { unit_id: 9, code: 'GEM', name: 'Gems', scale: 0 } };
    const create = { unit_id: 10, code: 'gem', name: null };
    given(bot, created, unit)
      .when((state) => createUnit(state, create))
      .isRefused('conflict', 'code');
    given(bot, created)
      .when((state) => createUnit(state, { ...create, code: 'GEMS' }))
      .isRefused('invalid', 'code');
    given(bot, created)
      .when((state) => createUnit(state, { ...create, scale: 19 }))
      .isRefused('invalid', 'scale');
  });
});

describe('a token', () => {
  it.each(['123456:ABC-DEF', '1:a_b', `${'9'.repeat(20)}:${'x'.repeat(220)}`])('is one: %s', (token) => {
    expect(tokenProblem(token)).toBeUndefined();
  });

  it.each(['nonsense', '', ':ABC', '123456:', 'a:b', '1:a/b', '1:a:b', '1:a\n', ' 1:a', `1:${'x'.repeat(221)}`])(
    'is none: %j',
    (token) => {
      expect(tokenProblem(token)).toMatchObject({ code: 'invalid', path: 'token' });
    },
  );
});
