import { type Decision, decider, differences, withChanges } from '../decider.ts';
import type { DataOf, EventOf } from '../event-type.ts';
import { Rejection } from '../rejection.ts';
import type { SealedSecret } from '../sealing.ts';
import { botChanged, botCreated, unitCreated, webhookSecretRotated } from './catalog-events.ts';
import {
  currencyDigits,
  currencyProblem,
  MAX_NAME_LENGTH,
  textProblem,
  timezoneProblem,
  unitCodeProblem,
} from './checks.ts';

/** Stream `bot-<public key>`: a bot's settings and units. */

/** With the token sealed. Only older events have it in clear. */
export type BotSettings = Omit<DataOf<typeof botChanged>, 'token'> & {
  readonly token?: SealedSecret | null | undefined;
};
type Bot = DataOf<typeof botCreated>;
type Unit = DataOf<typeof unitCreated>;

export interface BotState {
  readonly bot: Bot | null;
  /** By code. */
  readonly units: ReadonlyMap<string, Unit>;
}

export type BotEvent = EventOf<
  typeof botCreated | typeof botChanged | typeof webhookSecretRotated | typeof unitCreated
>;

export const bot = decider(
  [botCreated, botChanged, webhookSecretRotated, unitCreated],
  (): BotState => ({ bot: null, units: new Map() }),
  evolve,
);

function evolve(state: BotState, event: BotEvent): BotState {
  switch (event.type) {
    case 'bot_created':
      return { ...state, bot: event.data };
    case 'bot_changed':
    case 'webhook_secret_rotated':
      return { ...state, bot: withChanges(state.bot!, event.data) };
    case 'unit_created':
      return { ...state, units: new Map(state.units).set(event.data.code, event.data) };
  }
}

type Identity = Pick<Bot, 'bot_id' | 'public_key' | 'owner_id' | 'webhook_secret_hash' | 'name'>;

const DEFAULTS: Omit<Bot, keyof Identity> = {
  username: null,
  token: null,
  timezone: 'UTC',
  pair_separator: '_',
  value_separator: '-',
  referral_new_users_only: false,
  auto_payout: 'off',
  paid_broadcasts: false,
};

export type CreateBot = Identity & Omit<BotSettings, 'name'>;

export function createBot(state: BotState, command: CreateBot): Decision<BotEvent> {
  if (state.bot !== null) return new Rejection('conflict', 'bot', `bot ${command.public_key} exists`);
  const { bot_id, public_key, owner_id, webhook_secret_hash, name, ...settings } = command;
  const created = { bot_id, public_key, owner_id, webhook_secret_hash, name, ...withChanges(DEFAULTS, settings) };
  return settingsProblem(created) ?? [{ type: 'bot_created', data: created }];
}

/** Records only the settings that differ. */
export function changeBot(state: BotState, changes: BotSettings): Decision<BotEvent> {
  if (state.bot === null) return unknownBot();
  const problem = settingsProblem(withChanges(state.bot, changes));
  if (problem !== undefined) return problem;
  const changed = differences(state.bot, changes);
  return changed === undefined ? [] : [{ type: 'bot_changed', data: changed }];
}

export function rotateWebhookSecret(state: BotState, webhookSecretHash: string): Decision<BotEvent> {
  if (state.bot === null) return unknownBot();
  return [{ type: 'webhook_secret_rotated', data: { webhook_secret_hash: webhookSecretHash } }];
}

export interface CreateUnit {
  readonly unit_id: number;
  readonly code: string;
  readonly name: string | null;
  /** Decimals of a normal unit; undefined: 2 (decisions.md#decimals-of-amounts). */
  readonly scale?: number | undefined;
}

const MAX_SCALE = 18;
const DEFAULT_SCALE = 2;

/**
 * Creates a custom unit of the bot. Its code must not be a currency's code, or existing amounts would be rescaled
 * (decisions.md#currency-codes).
 */
export function createUnit(state: BotState, command: CreateUnit): Decision<BotEvent> {
  if (state.bot === null) return unknownBot();
  const code = command.code.toUpperCase();
  const scale = command.scale ?? DEFAULT_SCALE;
  const problem =
    unitCodeProblem('code', command.code) ??
    (currencyDigits(code) === undefined
      ? undefined
      : new Rejection('invalid', 'code', `code must not be an ISO 4217 code or XTR; use rule create --unit ${code}`)) ??
    (command.name === null ? undefined : textProblem('name', command.name, MAX_NAME_LENGTH)) ??
    (scale <= MAX_SCALE ? undefined : new Rejection('invalid', 'scale', `scale must be 0 to ${MAX_SCALE}`));
  if (problem !== undefined) return problem;
  if (state.units.has(code)) return new Rejection('conflict', 'code', `unit ${code} exists`);
  return [{ type: 'unit_created', data: { unit_id: command.unit_id, code, name: command.name, scale } }];
}

/** Creates the unit of a currency, with the currency's decimals. */
export function createCurrencyUnit(state: BotState, unit_id: number, code: string): Decision<BotEvent> {
  if (state.bot === null) return unknownBot();
  const scale = currencyDigits(code);
  if (scale === undefined) return currencyProblem('code', code)!;
  return [{ type: 'unit_created', data: { unit_id, code, name: null, scale } }];
}

/** Both are parts of addresses (`https://t.me/<username>`, `<root>/bot<token>/<method>`), so no character may end the part. */
const USERNAME = /^[A-Za-z0-9_]{1,32}$/;
const TOKEN = /^\d{1,20}:[A-Za-z0-9_-]{1,220}$/;
/** The characters of a /start payload: no other separator can occur in one. */
const SEPARATOR = /^[A-Za-z0-9_-]{1,8}$/;

function settingsProblem(settings: Bot): Rejection | undefined {
  const { username, pair_separator, value_separator } = settings;
  return (
    textProblem('name', settings.name, MAX_NAME_LENGTH) ??
    timezoneProblem('timezone', settings.timezone) ??
    (username === null || USERNAME.test(username)
      ? undefined
      : new Rejection('invalid', 'username', 'username must be 1 to 32 of letters, digits and _')) ??
    separatorProblem('pair_separator', pair_separator) ??
    separatorProblem('value_separator', value_separator) ??
    (pair_separator !== value_separator
      ? undefined
      : new Rejection('invalid', 'value_separator', 'the two separators must differ'))
  );
}

/** Checks a token before it is sealed. */
export function tokenProblem(token: string): Rejection | undefined {
  if (TOKEN.test(token)) return undefined;
  return new Rejection(
    'invalid',
    'token',
    'token must be as the platform issues it: the number of the bot, a colon and a secret, such as 123456:ABC-DEF',
  );
}

function separatorProblem(path: string, separator: string): Rejection | undefined {
  if (SEPARATOR.test(separator)) return undefined;
  return new Rejection('invalid', path, `${path} must be 1 to 8 of letters, digits, _ and -`);
}

const unknownBot = (): Rejection => new Rejection('not_found', 'bot', 'there is no such bot');
