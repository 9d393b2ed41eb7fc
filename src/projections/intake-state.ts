import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../database/of-bot.ts';
import { UnreadableEventError } from '../domain/event-type.ts';
import { type IntakeState, intakeState, type PayloadState, UPDATE_MEMORY_MS } from '../domain/intake/intake-fold.ts';
import { keyOf } from '../log/stream-name.ts';
import { copyInto, copyLine, nameOf, numbers } from './batch-sql.ts';
import type { ReadCommit } from './read-model.ts';
import { rowsByKey } from './rows-by-key.ts';

/** Stores the state of the intake fold (domain/intake/intake-fold.ts) in the tables of a read model, and loads it again. */

export const UPDATE_IDS_DDL = `
CREATE TABLE update_ids (
  bot_id int NOT NULL,
  update_id bigint NOT NULL,
  /* receipt, ms UTC */
  received bigint NOT NULL,
  PRIMARY KEY (bot_id, update_id)
);
CREATE INDEX update_ids_received ON update_ids (bot_id, received);
`;

export const CODES_DDL = `
CREATE TABLE codes (
  bot_id int NOT NULL,
  code text COLLATE "C" NOT NULL,
  PRIMARY KEY (bot_id, code)
);
`;

export const HOUR_MS = 60 * 60 * 1000;

/** The state of a bot's intake during one batch. */
export interface BotIntake extends IntakeState {
  readonly bot_id: number;
  /** The clock at the start of the batch. */
  readonly clockBefore: number;
  /** Updates of the batch that the table has. */
  readonly storedUpdates: Set<number>;
}

export function botIntake(bot_id: number, clock: number): BotIntake {
  return { ...intakeState(clock), bot_id, clockBefore: clock, storedUpdates: new Set() };
}

/**
 * The bot that the commit is about.
 * @param bots by public key
 * @throws UnreadableEventError: a bot's log begins with the bot on every engine, so a log that names another bot is broken
 */
export function botOfCommit<Bot>(bots: ReadonlyMap<string, Bot>, { stream }: ReadCommit): Bot {
  const bot = bots.get(keyOf(stream));
  if (bot === undefined) throw new UnreadableEventError(`${stream}: there is no such bot before it in the log`);
  return bot;
}

/** Items of a commit that get a separate `ord`. */
const ITEMS_PER_COMMIT = 1024;

/** The place of an item in its bot's log, as a number that orders the items of all commits. @throws UnreadableEventError */
export function ordOf({ ordinal, id }: ReadCommit, index = 0): number {
  const ord = ordinal * ITEMS_PER_COMMIT + index;
  if (index >= ITEMS_PER_COMMIT || !Number.isSafeInteger(ord))
    throw new UnreadableEventError(`commit ${id}: no place for item ${index} at ordinal ${ordinal}`);
  return ord;
}

/** Loads the receipts of those given updates that the table has. */
export async function loadUpdateIds(
  tx: ClientBase,
  wanted: readonly { readonly intake: BotIntake; readonly updateIds: ReadonlySet<number> }[],
): Promise<void> {
  // Two arrays of small values: an object for each update would double the garbage of a batch.
  const intakes: BotIntake[] = [];
  const ids: number[] = [];
  for (const { intake, updateIds } of wanted)
    for (const id of updateIds) {
      intakes.push(intake);
      ids.push(id);
    }
  const table = { table: 'update_ids', key: 'update_id', columns: 'received::float8' };
  for (const [i, received] of await rowsByKey<[number]>(tx, 'intake.load_update_ids', table, intakes, ids)) {
    const [intake, id] = [intakes[i]!, ids[i]!];
    intake.updates.set(id, received);
    intake.storedUpdates.add(id);
  }
}

export async function saveUpdateIds(tx: ClientBase, intakes: readonly BotIntake[]): Promise<void> {
  const outlived: { readonly bot_id: number; readonly id: number }[] = [];
  for (const { bot_id, addedUpdates, storedUpdates } of intakes)
    for (const id of storedUpdates) if (addedUpdates.has(id)) outlived.push({ bot_id, id });
  const botIds = outlived.map(({ bot_id }) => bot_id);
  const only = onlyBot(tx, botIds);
  if (outlived.length > 0)
    await tx.query({
      name: nameOf('intake.delete_update_ids', only),
      text: `DELETE FROM update_ids
              WHERE (bot_id, update_id) IN (SELECT * FROM unnest($1::int[], $2::bigint[])) AND ${ofBot('bot_id', only)}`,
      values: [botIds, outlived.map(({ id }) => id)],
    });
  await copyInto(tx, 'update_ids', 'bot_id, update_id, received', updateLines(intakes));
}

function* updateLines(intakes: readonly BotIntake[]): Generator<string> {
  for (const { bot_id, addedUpdates } of intakes) for (const [id, at] of addedUpdates) yield `${bot_id},${id},${at}`;
}

/** Loads which of the payloads are codes. */
export async function loadCodes(
  tx: ClientBase,
  wanted: readonly { readonly bot: BotOfCodes; readonly payloads: ReadonlySet<string> }[],
): Promise<void> {
  const bots = wanted.flatMap(({ bot, payloads }) => Array.from(payloads, () => bot));
  const codes = wanted.flatMap(({ payloads }) => [...payloads]);
  const table = { table: 'codes', key: 'code' };
  for (const [i] of await rowsByKey(tx, 'intake.load_codes', table, bots, codes))
    bots[i]!.payloads.codes.add(codes[i]!);
}

export async function saveCodes(tx: ClientBase, bots: readonly BotOfCodes[]): Promise<void> {
  const lines = bots.flatMap(({ bot_id, payloads }) => payloads.addedCodes.map((code) => copyLine([bot_id, code])));
  await copyInto(tx, 'codes', 'bot_id, code', lines);
}

interface BotOfCodes {
  readonly bot_id: number;
  readonly payloads: PayloadState;
}

/** Rows of a table that are kept for `ms`, by a column that holds a receipt. */
export interface Retention {
  readonly table: 'update_ids' | 'pending_events' | 'bot_errors' | 'outcomes';
  readonly column: 'received' | 'date';
  readonly ms: number;
}

export const UPDATE_IDS_RETENTION: Retention = { table: 'update_ids', column: 'received', ms: UPDATE_MEMORY_MS };

/**
 * Deletes the bots' rows whose retention is over, by whole hours of the bot's clock. So the rows that stay depend on the
 * log and not on how it was cut into batches, and most batches delete nothing.
 */
export async function deleteExpired(
  tx: ClientBase,
  intakes: readonly BotIntake[],
  retentions: readonly Retention[],
): Promise<void> {
  const due = intakes.filter(({ clock, clockBefore }) => hourOf(clock) > hourOf(clockBefore));
  if (due.length === 0) return;
  const botIds = due.map(({ bot_id }) => bot_id);
  const only = onlyBot(tx, botIds);
  const deletes = retentions.map(
    ({ table, column, ms }) =>
      `${table}_gone AS (DELETE FROM ${table} t USING due
          WHERE t.bot_id = due.bot_id AND ${ofBot('t.bot_id', only)} AND t.${column} < due.hour - ${ms})`,
  );
  await tx.query({
    name: nameOf(`intake.expire_${retentions.map(({ table }) => table).join('_')}`, only),
    text: `WITH due AS (SELECT * FROM unnest($1::int[], $2::bigint[]) AS d (bot_id, hour)), ${deletes.join()} SELECT`,
    values: [numbers(botIds), numbers(due.map(({ clock }) => hourOf(clock)))],
  });
}

function hourOf(clock: number): number {
  return clock - (clock % HOUR_MS);
}
