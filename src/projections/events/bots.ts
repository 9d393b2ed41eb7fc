import type { ClientBase } from 'pg';
import { currencyDigits } from '../../domain/catalog/currency.ts';
import type { Separators, Utm } from '../../domain/intake/utm.ts';
import { type UpdateMemory, updateMemory } from '../update-memory.ts';
import type { EventDraft } from './draft.ts';

/** A bot as its log has made it so far, and what one batch adds. Settings apply from their place in the log on. */
export interface Bot {
  readonly bot_id: number;
  readonly public_key: string;
  readonly owner_id: number;
  separators: Separators;
  /** Decimals of the bot's own units. */
  readonly units: Map<string, number>;
  /** The clock of the bot, which all memories of a limited length go by, and the updates seen. */
  readonly memory: UpdateMemory;
  utmCount: number;
  /** The transaction that wrote the bot's row last; null: there is none yet. */
  readonly writer: string | null;
  /** UTM combinations that the batch's visits brought, by their text; the id is set before rows are made. */
  readonly utms: Map<string, UtmUse>;
  readonly users: Map<number, User>;
  /** Of the keys of events that the batch names, those taken. */
  readonly eventKeys: Set<string>;
}

export interface UtmUse {
  readonly utm: Utm;
  id: number;
}

export interface User {
  readonly bot: Bot;
  readonly user_id: number;
  known: boolean;
  /** The last event in the table; null: none. */
  readonly tail: Tail | null;
  /** Events that wait for the user to be known. */
  readonly pending: EventDraft[];
  /** Events and visits that the batch adds. */
  readonly events: EventDraft[];
  readonly visits: Visit[];
}

export interface Tail {
  readonly date: number;
  readonly ord: number;
  readonly session: number;
  readonly utm_id: number | null;
}

export interface Visit {
  readonly date: number;
  readonly ord: number;
  readonly commit_id: string;
  readonly idx: number;
  readonly code: string;
  readonly utm: UtmUse | null;
  readonly first_seen: boolean;
}

type BotSettings = Pick<
  Bot,
  'bot_id' | 'public_key' | 'owner_id' | 'separators' | 'units' | 'memory' | 'utmCount' | 'writer'
>;

export function botOf(settings: BotSettings): Bot {
  return {
    ...settings,
    utms: new Map(),
    users: new Map(),
    eventKeys: new Set(),
  };
}

/** Decimals of a unit: the bot's own, else the currency's; undefined: unknown. */
export function scaleOf(bot: Bot, unit: string): number | undefined {
  return bot.units.get(unit) ?? currencyDigits(unit);
}

/** The bots with these public keys, by public key. */
export async function loadBots(tx: ClientBase, publicKeys: readonly string[]): Promise<Map<string, Bot>> {
  const { rows } = await tx.query<BotRow>({
    name: 'events.load_bots',
    text: `SELECT bot_id, public_key, owner_id::float8, pair_separator, value_separator, units, clock::float8, utm_count, xmin::text
             FROM bots WHERE public_key = ANY ($1)`,
    values: [publicKeys],
  });
  return new Map(
    rows.map((row) => [
      row.public_key,
      botOf({
        bot_id: row.bot_id,
        public_key: row.public_key,
        owner_id: row.owner_id,
        separators: { pair: row.pair_separator, value: row.value_separator },
        units: new Map(Object.entries(row.units)),
        memory: updateMemory(row.bot_id, row.clock),
        utmCount: row.utm_count,
        writer: row.xmin,
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
  readonly units: Readonly<Record<string, number>>;
  readonly clock: number;
  readonly utm_count: number;
  readonly xmin: string;
}

/** @returns the transaction that wrote the rows */
export async function saveBots(tx: ClientBase, bots: Iterable<Bot>): Promise<string> {
  const rows = [...bots].map((bot) => ({
    bot_id: bot.bot_id,
    public_key: bot.public_key,
    owner_id: bot.owner_id,
    pair_separator: bot.separators.pair,
    value_separator: bot.separators.value,
    units: Object.fromEntries(bot.units),
    clock: bot.memory.clock,
    utm_count: bot.utmCount,
  }));
  const saved = await tx.query<{ xmin: string }>({
    name: 'events.save_bots',
    text: `INSERT INTO bots SELECT * FROM jsonb_populate_recordset(NULL::bots, $1)
           ON CONFLICT (bot_id) DO UPDATE SET
             pair_separator = EXCLUDED.pair_separator, value_separator = EXCLUDED.value_separator,
             units = EXCLUDED.units, clock = EXCLUDED.clock, utm_count = EXCLUDED.utm_count
           RETURNING xmin::text`,
    values: [JSON.stringify(rows)],
  });
  return saved.rows[0]!.xmin;
}
