import type { ClientBase } from 'pg';
import { numbers } from './by-key.ts';
import { copyInto, copyLine } from './copy.ts';

/**
 * Which updates of the platform were seen in the last 7 days, so that a repeat changes nothing
 * (decisions.md#platform-updates). After a week without updates the platform begins anew at a random number, so what is
 * older must be forgotten. Time is the bot's clock: the latest receipt in its log so far, since receipts of several
 * instances need not come in order.
 */
export const UPDATE_MEMORY_DDL = `
CREATE TABLE update_ids (
  bot_id int NOT NULL,
  update_id bigint NOT NULL,
  /* receipt, ms UTC */
  received bigint NOT NULL,
  PRIMARY KEY (bot_id, update_id)
);
CREATE INDEX update_ids_received ON update_ids (bot_id, received);
`;

const MEMORY_MS = 7 * 24 * 60 * 60 * 1000;
export const HOUR_MS = 60 * 60 * 1000;

/** A bot's clock and, of the updates that the batch names, those seen. */
export interface UpdateMemory {
  readonly bot_id: number;
  clock: number;
  /** The clock when the batch began. */
  readonly clockBefore: number;
  readonly seen: Map<number, number>;
  readonly added: Map<number, number>;
  /** Those that the table has. */
  readonly stored: Set<number>;
}

export function updateMemory(bot_id: number, clock: number): UpdateMemory {
  return { bot_id, clock, clockBefore: clock, seen: new Map(), added: new Map(), stored: new Set() };
}

/** Whether an update received at `at` repeats one; it is remembered from here on. */
export function isRepeat(memory: UpdateMemory, updateId: number, at: number): boolean {
  const seen = memory.seen.get(updateId);
  if (seen !== undefined && memory.clock - seen <= MEMORY_MS) return true;
  if (memory.clock - at <= MEMORY_MS) {
    memory.seen.set(updateId, at);
    memory.added.set(updateId, at);
  }
  return false;
}

/** Fills `seen` with those of the given updates that the table has. */
export async function loadUpdateIds(
  tx: ClientBase,
  wanted: readonly { readonly memory: UpdateMemory; readonly updateIds: ReadonlySet<number> }[],
): Promise<void> {
  const asked = wanted.flatMap(({ memory, updateIds }) => [...updateIds].map((id) => ({ memory, id })));
  if (asked.length === 0) return;
  const { rows } = await tx.query<[number, number]>({
    name: 'update_memory.load',
    text: `SELECT u.i::int, x.received::float8
             FROM unnest($1::int[], $2::bigint[]) WITH ORDINALITY AS u (bot_id, update_id, i)
             JOIN update_ids x USING (bot_id, update_id)`,
    values: [numbers(asked.map(({ memory }) => memory.bot_id)), numbers(asked.map(({ id }) => id))],
    rowMode: 'array',
  });
  for (const [i, received] of rows) {
    const { memory, id } = asked[i - 1]!;
    memory.seen.set(id, received);
    memory.stored.add(id);
  }
}

/** Stores what was added. */
export async function saveUpdateIds(tx: ClientBase, memories: readonly UpdateMemory[]): Promise<void> {
  const rows = memories.flatMap((memory) => [...memory.added].map(([id, at]) => ({ memory, id, at })));
  const outlived = rows.filter(({ memory, id }) => memory.stored.has(id));
  if (outlived.length > 0)
    await tx.query({
      name: 'update_memory.delete',
      text: 'DELETE FROM update_ids WHERE (bot_id, update_id) IN (SELECT * FROM unnest($1::int[], $2::bigint[]))',
      values: [outlived.map(({ memory }) => memory.bot_id), outlived.map(({ id }) => id)],
    });
  const lines = rows.map(({ memory, id, at }) => copyLine([memory.bot_id, id, at]));
  await copyInto(tx, 'update_ids', 'bot_id, update_id, received', lines);
}

/** Rows of a table that are kept for `ms`, by a column that holds a time of receipt. */
export interface Keeping {
  readonly table: 'update_ids' | 'pending_events' | 'bot_errors' | 'outcomes';
  readonly column: 'received' | 'date';
  readonly ms: number;
}

export const KEEP_UPDATE_IDS: Keeping = { table: 'update_ids', column: 'received', ms: MEMORY_MS };

/**
 * Deletes the bots' rows that are past their time. By whole hours of the bot's clock: so what is left depends on what
 * was received and not on how that was cut into batches, and most batches delete nothing.
 */
export async function forget(
  tx: ClientBase,
  memories: readonly UpdateMemory[],
  keepings: readonly Keeping[],
): Promise<void> {
  const due = memories.filter(({ clock, clockBefore }) => hourOf(clock) > hourOf(clockBefore));
  if (due.length === 0) return;
  const deletes = keepings.map(
    ({ table, column, ms }) =>
      `${table}_gone AS (DELETE FROM ${table} t USING due WHERE t.bot_id = due.bot_id AND t.${column} < due.hour - ${ms})`,
  );
  await tx.query({
    name: `update_memory.forget_${keepings.map(({ table }) => table).join('_')}`,
    text: `WITH due AS (SELECT * FROM unnest($1::int[], $2::bigint[]) AS d (bot_id, hour)), ${deletes.join()} SELECT`,
    values: [numbers(due.map(({ bot_id }) => bot_id)), numbers(due.map(({ clock }) => hourOf(clock)))],
  });
}

function hourOf(clock: number): number {
  return clock - (clock % HOUR_MS);
}
