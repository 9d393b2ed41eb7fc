import type { ClientBase } from 'pg';
import { type Attribution, emptyAttribution, type Outcome } from '../../domain/referral/attribution.ts';
import { numbers } from '../by-key.ts';
import { type BotIntake, botIntake } from '../intake-state.ts';

/** A bot as its log has made it so far: what a batch asks of it, and what the batch adds. */
export interface Bot {
  readonly bot_id: number;
  readonly public_key: string;
  newUsersOnly: boolean;
  readonly intake: BotIntake;
  /** Users that the batch may refer. */
  readonly referred: Set<number>;
  readonly attribution: Attribution;
  readonly added: Added;
}

/** Rows that are not written yet. */
export interface Added {
  users: number[];
  /** By code. */
  readonly codes: Map<string, CodeRow>;
  /** By code and user. */
  readonly visits: Map<string, VisitRow>;
  referrals: ReferralRow[];
  outcomes: OutcomeRow[];
}

export interface CodeRow {
  readonly code: string;
  readonly owner_id: number | null;
  readonly listed: boolean;
  readonly date_create: number | null;
  readonly ord: number | null;
}

export interface VisitRow {
  readonly code: string;
  readonly user_id: number;
  readonly date: number;
  readonly ord: number;
}

export interface ReferralRow {
  readonly user_id: number;
  readonly referrer_id: number;
  readonly code: string | null;
  readonly date: number;
  readonly ord: number;
}

export interface OutcomeRow {
  readonly commit_id: string;
  readonly date: number;
  readonly outcome: Outcome;
}

export function newBot(bot_id: number, public_key: string, newUsersOnly: boolean, clock: number): Bot {
  return {
    bot_id,
    public_key,
    newUsersOnly,
    intake: botIntake(bot_id, clock),
    referred: new Set(),
    attribution: emptyAttribution(),
    added: { users: [], codes: new Map(), visits: new Map(), referrals: [], outcomes: [] },
  };
}

export async function loadBots(tx: ClientBase, publicKeys: readonly string[]): Promise<Map<string, Bot>> {
  const { rows } = await tx.query<{ bot_id: number; public_key: string; new_users_only: boolean; clock: number }>({
    name: 'referral.load_bots',
    text: 'SELECT bot_id, public_key, new_users_only, clock::float8 FROM bots WHERE public_key = ANY ($1)',
    values: [publicKeys],
  });
  return new Map(
    rows.map(({ bot_id, public_key, new_users_only, clock }) => [
      public_key,
      newBot(bot_id, public_key, new_users_only, clock),
    ]),
  );
}

export async function saveBots(tx: ClientBase, bots: readonly Bot[]): Promise<void> {
  await tx.query({
    name: 'referral.save_bots',
    text: `INSERT INTO bots (bot_id, public_key, new_users_only, clock)
           SELECT * FROM unnest($1::int[], $2::text[], $3::boolean[], $4::bigint[])
           ON CONFLICT (bot_id) DO UPDATE SET new_users_only = EXCLUDED.new_users_only, clock = EXCLUDED.clock`,
    values: [
      numbers(bots.map(({ bot_id }) => bot_id)),
      bots.map(({ public_key }) => public_key),
      bots.map(({ newUsersOnly }) => newUsersOnly),
      numbers(bots.map(({ intake }) => intake.clock)),
    ],
  });
}
