import type { ClientBase } from 'pg';
import { ofBot } from '../../database/of-bot.ts';
import { currencyDigits } from '../../domain/catalog/checks.ts';
import { payloadState } from '../../domain/intake/intake-fold.ts';
import { loadBotRows } from '../bot-rows.ts';
import { botIntake } from '../intake-state.ts';
import type { Bot, RuleName, Unit } from './batch.ts';

import type { Source } from './draft.ts';
import { propertyNames } from './property-rows.ts';

type BotSettings = Pick<
  Bot,
  | 'bot_id'
  | 'public_key'
  | 'owner_id'
  | 'intake'
  | 'payloads'
  | 'units'
  | 'rules'
  | 'properties'
  | 'utmCount'
  | 'userCount'
  | 'writer'
  | 'archivedUntil'
>;

export function botOf(settings: BotSettings): Bot {
  return {
    ...settings,
    utms: new Map(),
    users: new Map(),
    charges: new Map(),
  };
}

/** Whether events of this id trigger any rule that the bot has so far. */
export function isTrigger({ rules }: Bot, eventId: number): boolean {
  for (const { trigger } of rules.values()) if (trigger === eventId) return true;
  return false;
}

/**
 * Decimals of a unit: of the bot's unit, else of the currency; undefined: unknown. The platform counts payments in the
 * currency's decimals, even if a unit of the bot has the same code (decisions.md#currency-codes).
 */
export function scaleOf(bot: Bot, unit: string, source: Source): number | undefined {
  const own = bot.units.get(unit)?.scale;
  return source === 'send-update' ? (currencyDigits(unit) ?? own) : (own ?? currencyDigits(unit));
}

/** The bots with these public keys, by public key. */
export async function loadBots(tx: ClientBase, publicKeys: readonly string[]): Promise<Map<string, Bot>> {
  const columns = (only: number | null) => `
    bot_id, public_key, owner_id::float8, pair_separator, value_separator, units, rules, clock::float8, utm_count,
    user_count, property_count, xmin::text,
    (SELECT t.archived_until::float8 FROM timelines t WHERE t.bot_id = b.bot_id AND ${ofBot('t.bot_id', only)}) AS archived_until`;
  const rows = await loadBotRows<BotRow>(tx, 'events.load_bots', columns, publicKeys);
  return new Map(
    rows.map((row) => [
      row.public_key,
      botOf({
        bot_id: row.bot_id,
        public_key: row.public_key,
        owner_id: row.owner_id,
        intake: botIntake(row.bot_id, row.clock),
        payloads: payloadState({ pair: row.pair_separator, value: row.value_separator }),
        units: new Map(Object.entries(row.units)),
        rules: new Map(Object.entries(row.rules).map(([id, rule]) => [Number(id), rule])),
        properties: propertyNames(row.property_count),
        utmCount: row.utm_count,
        userCount: row.user_count,
        writer: row.xmin,
        archivedUntil: row.archived_until,
      }),
    ]),
  );
}

interface BotRow {
  readonly bot_id: number;
  readonly public_key: string;
  readonly owner_id: number;
  readonly pair_separator: string;
  readonly value_separator: string;
  readonly units: Readonly<Record<string, Unit>>;
  readonly rules: Readonly<Record<string, RuleName>>;
  readonly clock: number;
  readonly utm_count: number;
  readonly user_count: number;
  readonly property_count: number;
  readonly xmin: string;
  readonly archived_until: number | null;
}

/** @returns the id of the writing transaction */
export async function saveBots(tx: ClientBase, bots: Iterable<Bot>): Promise<string> {
  const rows = [...bots].map((bot) => ({
    bot_id: bot.bot_id,
    public_key: bot.public_key,
    owner_id: bot.owner_id,
    pair_separator: bot.payloads.separators.pair,
    value_separator: bot.payloads.separators.value,
    units: Object.fromEntries(bot.units),
    rules: Object.fromEntries(bot.rules),
    clock: bot.intake.clock,
    utm_count: bot.utmCount,
    user_count: bot.userCount,
    property_count: bot.properties.count,
  }));
  const saved = await tx.query<{ xmin: string }>({
    name: 'events.save_bots',
    text: `INSERT INTO bots SELECT * FROM jsonb_populate_recordset(NULL::bots, $1)
           ON CONFLICT (bot_id) DO UPDATE SET
             pair_separator = EXCLUDED.pair_separator, value_separator = EXCLUDED.value_separator,
             units = EXCLUDED.units, rules = EXCLUDED.rules, clock = EXCLUDED.clock, utm_count = EXCLUDED.utm_count,
             user_count = EXCLUDED.user_count, property_count = EXCLUDED.property_count
           RETURNING xmin::text`,
    values: [JSON.stringify(rows)],
  });
  return saved.rows[0]!.xmin;
}
