import type { Tables } from '../../database/tables.ts';
import { ERROR_MEMORY_MS } from '../../domain/intake/intake-fold.ts';

/** An accepted element that could not be processed as sent (decisions.md#bot-errors). */
export interface BotError {
  /** Derived from the event's identity in the log, so that it survives a rebuild. */
  readonly id: string;
  /** Receipt, ISO 8601 UTC. */
  readonly date: string;
  readonly source: 'send-target' | 'send-event' | 'send-update';
  readonly kind: BotErrorKind;
  readonly message: string;
  /** The element as it was accepted. */
  readonly payload: unknown;
  readonly resolved_at: string | null;
}

export const BOT_ERROR_KINDS = ['unknown_user', 'warning', 'property_limit'] as const;
export type BotErrorKind = (typeof BOT_ERROR_KINDS)[number];

interface Row {
  commit_id: string;
  idx: number;
  kind: BotErrorKind;
  date: string;
  source: BotError['source'];
  message: string;
  payload: unknown;
  resolved_at: string | null;
}

/** The bot's errors of the last 90 days, newest first. `events` is the schema of the read model `events`. */
export async function botErrors(
  { pool, events }: Tables<'events'>,
  botId: number,
  filter: { readonly kind?: BotErrorKind | undefined; readonly limit: number; readonly offset: number },
  now: number,
): Promise<BotError[]> {
  const { rows } = await pool.query<Row>(
    `SELECT commit_id, idx, kind, date, source, message, payload, resolved_at
     FROM ${events}.bot_errors
     WHERE bot_id = $1 AND date >= $2 AND ($3::text IS NULL OR kind = $3)
     ORDER BY date DESC, commit_id DESC, idx DESC, kind LIMIT $4 OFFSET $5`,
    [botId, now - ERROR_MEMORY_MS, filter.kind ?? null, filter.limit, filter.offset],
  );
  return rows.map(({ commit_id, idx, date, resolved_at, ...row }) => ({
    id: `${commit_id}.${idx}.${row.kind}`,
    date: isoDate(date),
    ...row,
    resolved_at: resolved_at === null ? null : isoDate(resolved_at),
  }));
}

function isoDate(ms: string): string {
  return new Date(Number(ms)).toISOString();
}
