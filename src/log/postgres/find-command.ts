import type pg from 'pg';
import { decodeCommit } from '../commit-codec.ts';
import { COMMAND_MEMORY_MS, type RecordedCommit } from '../port.ts';
import { positionOf } from './position.ts';

/** By the place of the question among those that were gathered, from 1 on. */
type Found = ReadonlyMap<number, RecordedCommit>;

interface Gathering {
  readonly ids: string[];
  /** Of *any* streams, only what is younger. */
  readonly since: number[];
  readonly found: Promise<Found>;
}

/** Looks up commands on the way of requests that name one: those that were read together share one question. */
export function commandFinder(readers: pg.Pool): (id: string, at: number) => Promise<RecordedCommit | null> {
  let gathering: Gathering | null = null;

  async function ask(ids: readonly string[], since: readonly number[]): Promise<Found> {
    await new Promise((resolve) => setImmediate(resolve));
    gathering = null;
    const { rows } = await readers.query<{ n: number; txid: string; seq: string; body: string }>({
      name: 'log_commands',
      // The limit keeps it a look-up for each: a join might be planned over the whole log.
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
    if (gathering === null) {
      const [ids, since]: [string[], number[]] = [[], []];
      gathering = { ids, since, found: ask(ids, since) };
    }
    const n = gathering.ids.push(id);
    gathering.since.push(at - COMMAND_MEMORY_MS);
    return (await gathering.found).get(n) ?? null;
  };
}
