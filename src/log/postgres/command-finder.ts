import type pg from 'pg';
import { decodeCommit } from '../commit-codec.ts';
import { COMMAND_MEMORY_MS, type RecordedCommit } from '../port.ts';
import { positionOf } from './position.ts';

/** The commits found, by the number of the look-up in its group, from 1 on. */
type Found = ReadonlyMap<number, RecordedCommit>;

/** Look-ups that will share one query. */
interface LookUpGroup {
  readonly ids: string[];
  /** By id: the time after which commits of *any* streams count. */
  readonly since: number[];
  readonly found: Promise<Found>;
}

/** Finds the commits of commands, for requests that name one. Look-ups that arrive together share one query. */
export function commandFinder(readers: pg.Pool): (id: string, at: number) => Promise<RecordedCommit | null> {
  let group: LookUpGroup | null = null;

  async function query(ids: readonly string[], since: readonly number[]): Promise<Found> {
    await new Promise((resolve) => setImmediate(resolve));
    group = null;
    const { rows } = await readers.query<{ n: number; txid: string; seq: string; body: string }>({
      name: 'log_commands',
      // The limit makes the plan one look-up for each id. A join might be planned over the whole log.
      text: `SELECT asked.n::integer, held.txid::text, held.seq::text, held.body
             FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS asked(id, since, n) CROSS JOIN LATERAL (
               SELECT c.txid, c.seq, c.body FROM log.commands AS k JOIN log.commits AS c ON c.id = k.commit_id
               WHERE k.id = asked.id AND (k.exact OR k.at > asked.since) LIMIT 1
             ) AS held`,
      values: [ids, since],
    });
    return new Map(rows.map((row) => [row.n, decodeCommit(row.body, positionOf(row), Number(row.seq))]));
  }

  return async (id, at) => {
    if (group === null) {
      const [ids, since]: [string[], number[]] = [[], []];
      group = { ids, since, found: query(ids, since) };
    }
    const n = group.ids.push(id);
    group.since.push(at - COMMAND_MEMORY_MS);
    return (await group.found).get(n) ?? null;
  };
}
