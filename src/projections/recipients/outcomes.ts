import type { ClientBase } from 'pg';
import { PLACE } from '../../domain/broadcast/sending.ts';
import type { Range } from '../../domain/broadcast/sending-events.ts';
import { findByKey, numbers } from '../by-key.ts';

/** Neighbours in an audience, with one final outcome. */
export interface PlacesSettled {
  readonly broadcastId: number;
  readonly first: number;
  readonly last: number;
  /** One of `PLACE`. */
  readonly state: number;
  readonly reason: string | null;
  readonly date: number;
}

/** Writes outcomes of recipients and counts them. A recipient that has an outcome already, and was not reopened, is an error. */
export async function applyOutcomes(tx: ClientBase, settled: readonly PlacesSettled[]): Promise<void> {
  if (settled.length === 0) return;
  const expected = settled.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  await findByKey(tx);
  const { rowCount } = await tx.query({
    name: 'recipients.settle',
    text: `UPDATE recipients r SET state = n.state, reason = n.reason, date = n.date
             FROM unnest($1::bigint[], $2::int[], $3::int[], $4::smallint[], $5::text[], $6::bigint[])
                  AS n (broadcast_id, first, last, state, reason, date)
            WHERE r.broadcast_id = n.broadcast_id AND r.place BETWEEN n.first AND n.last AND r.state = 0`,
    values: [
      numbers(settled.map(({ broadcastId }) => broadcastId)),
      numbers(settled.map(({ first }) => first)),
      numbers(settled.map(({ last }) => last)),
      numbers(settled.map(({ state }) => state)),
      settled.map(({ reason }) => reason),
      numbers(settled.map(({ date }) => date)),
    ],
  });
  if (rowCount !== expected) throw new Error(`${rowCount} recipients instead of ${expected} have a new outcome`);
  await count(tx, settled);
}

async function count(tx: ClientBase, settled: readonly PlacesSettled[]): Promise<void> {
  const counts = new Map<number, { delivered: number; not: number; unknown: number }>();
  for (const { broadcastId, first, last, state } of settled) {
    const of = counts.get(broadcastId) ?? { delivered: 0, not: 0, unknown: 0 };
    counts.set(broadcastId, of);
    const size = last - first + 1;
    if (state === PLACE.delivered) of.delivered += size;
    else of.not += size;
    if (state === PLACE.unknown) of.unknown += size;
  }
  const all = [...counts];
  await tx.query({
    name: 'recipients.count',
    text: `UPDATE sendings s SET count_delivered = s.count_delivered + n.delivered,
             count_not_delivered = s.count_not_delivered + n.not_delivered, count_unknown = s.count_unknown + n.unknown
             FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) AS n (broadcast_id, delivered, not_delivered, unknown)
            WHERE s.broadcast_id = n.broadcast_id`,
    values: [
      numbers(all.map(([id]) => id)),
      numbers(all.map(([, { delivered }]) => delivered)),
      numbers(all.map(([, { not }]) => not)),
      numbers(all.map(([, { unknown }]) => unknown)),
    ],
  });
}

/** Takes outcomes back: only recipients that were not delivered have one that may be followed by another. */
export async function reopenRecipients(tx: ClientBase, broadcastId: number, ranges: readonly Range[]): Promise<void> {
  const expected = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  await findByKey(tx);
  const { rowCount } = await tx.query({
    name: 'recipients.reopen',
    text: `UPDATE recipients r SET state = 0, reason = NULL, date = NULL
             FROM unnest($2::int[], $3::int[]) AS n (first, last)
            WHERE r.broadcast_id = $1 AND r.place BETWEEN n.first AND n.last AND r.state = ${PLACE.not_delivered}`,
    values: [broadcastId, numbers(ranges.map(([first]) => first)), numbers(ranges.map(([, last]) => last))],
  });
  if (rowCount !== expected) throw new Error(`${rowCount} recipients instead of ${expected} are reopened`);
  await tx.query({
    name: 'recipients.reopen count',
    text: 'UPDATE sendings SET count_not_delivered = count_not_delivered - $2 WHERE broadcast_id = $1',
    values: [broadcastId, expected],
  });
}
