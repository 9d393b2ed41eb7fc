import type { ClientBase } from 'pg';
import { type PayloadState, payloadState } from '../../domain/intake/fold.ts';
import type { Separators } from '../../domain/intake/utm.ts';
import { numbers } from '../by-key.ts';
import { type BotIntake, botIntake } from '../intake-state.ts';
import type { Profile } from './profile.ts';

/** A bot as its log has made it so far, and those of its users that a batch names. */
export interface Bot {
  readonly bot_id: number;
  readonly public_key: string;
  readonly intake: BotIntake;
  readonly payloads: PayloadState;
  readonly users: Map<number, UserChange>;
  /** Users that the batch erases. */
  readonly erased: Set<number>;
}

export interface UserChange {
  readonly bot_id: number;
  readonly user_id: number;
  readonly profile: Profile;
  /** As the table has it; null: not at all. */
  readonly loaded: Profile | null;
  /** JSON text of the custom fields that the batch sets; numbers keep their digits. */
  readonly customFields: Map<string, string>;
  /** Whether the custom fields that the table has are gone. */
  erased: boolean;
}

export function newBot(bot_id: number, public_key: string, separators: Separators, clock: number): Bot {
  return {
    bot_id,
    public_key,
    intake: botIntake(bot_id, clock),
    payloads: payloadState(separators),
    users: new Map(),
    erased: new Set(),
  };
}

export async function loadBots(tx: ClientBase, publicKeys: readonly string[]): Promise<Map<string, Bot>> {
  const { rows } = await tx.query<{ bot_id: number; public_key: string; pair: string; value: string; clock: number }>({
    name: 'users.load_bots',
    text: `SELECT bot_id, public_key, pair_separator AS pair, value_separator AS value, clock::float8
             FROM bots WHERE public_key = ANY ($1)`,
    values: [publicKeys],
  });
  return new Map(
    rows.map(({ bot_id, public_key, pair, value, clock }) => [
      public_key,
      newBot(bot_id, public_key, { pair, value }, clock),
    ]),
  );
}

/** Remembers who was erased, for good. */
export async function saveErased(tx: ClientBase, bots: readonly Bot[]): Promise<void> {
  const erased = bots.flatMap(({ bot_id, erased }) => [...erased].map((userId) => ({ bot_id, userId })));
  if (erased.length === 0) return;
  await tx.query({
    name: 'users.save_erased',
    text: 'INSERT INTO erased_users SELECT * FROM unnest($1::int[], $2::bigint[]) ON CONFLICT DO NOTHING',
    values: [numbers(erased.map(({ bot_id }) => bot_id)), numbers(erased.map(({ userId }) => userId))],
  });
}

export async function saveBots(tx: ClientBase, bots: readonly Bot[]): Promise<void> {
  await tx.query({
    name: 'users.save_bots',
    text: `INSERT INTO bots (bot_id, public_key, pair_separator, value_separator, clock)
           SELECT * FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::bigint[])
           ON CONFLICT (bot_id) DO UPDATE SET pair_separator = EXCLUDED.pair_separator,
             value_separator = EXCLUDED.value_separator, clock = EXCLUDED.clock`,
    values: [
      bots.map(({ bot_id }) => bot_id),
      bots.map(({ public_key }) => public_key),
      bots.map(({ payloads }) => payloads.separators.pair),
      bots.map(({ payloads }) => payloads.separators.value),
      bots.map(({ intake }) => intake.clock),
    ],
  });
}
