import type { ReadTables } from '../../database/tables.ts';
import { countRecipients } from '../../queries/broadcast/broadcast-statistics.ts';
import { type BroadcastCounts, broadcastCounts } from '../../queries/broadcast/broadcasts.ts';
import { type AnswersDiff, answerTally } from './answer-tally.ts';
import type { AnswerOptions } from './pinned-reader.ts';

const PAGE = 500;

/** Compares the status, counts and statistics of all broadcasts, also of broadcasts that only one version has. */
export async function broadcastAnswers({ reader, elapsed, signal, shown }: AnswerOptions): Promise<AnswersDiff[]> {
  const { tx, late } = reader;
  const { before, after } = await reader.at('broadcasts', 'recipients');
  const [from, to] = [
    { pool: tx, ...before },
    { pool: tx, ...after },
  ];
  const tally = answerTally('broadcasts', elapsed);
  let last = 0;
  for (let done = 0; ; ) {
    signal.throwIfAborted();
    shown('broadcasts', done, null);
    const { rows } = await tx.query<{ id: number }>(
      `SELECT id::float8 FROM (${pageOf(before.broadcasts)} UNION ${pageOf(after.broadcasts)}) AS b ORDER BY b.id LIMIT ${PAGE}`,
      [last],
    );
    if (rows.length === 0) return [tally.result];
    const ids = rows.map(({ id }) => id);
    const [first, second] = [await broadcastCounts(from, ids), await broadcastCounts(to, ids)];
    for (const id of ids) {
      const [own, other] = [first.get(id), second.get(id)];
      const { bot } = (own ?? other)!;
      if (late.has(bot)) continue;
      const question = { bot, id };
      const ask = (tables: ReadTables<'recipients'>, counts: BroadcastCounts | undefined) => () =>
        answerOf(tables, counts);
      tally.count(question, await tally.ask(question, ask(from, own), ask(to, other)));
    }
    last = ids.at(-1)!;
    done += ids.length;
  }
}

const pageOf = (schema: string): string =>
  `(SELECT id FROM ${schema}.broadcasts WHERE id > $1::bigint ORDER BY id LIMIT ${PAGE})`;

/** Null: the version has no such broadcast. */
async function answerOf(tables: ReadTables<'recipients'>, counts: BroadcastCounts | undefined) {
  if (counts === undefined) return null;
  const { id, bot_id: botId, status, statistics, shares } = counts;
  const { total, variants } = await countRecipients(tables, { botId, id }, shares);
  return { status, ...statistics, statistics: total, ...(shares.length > 0 && { variants }) };
}
