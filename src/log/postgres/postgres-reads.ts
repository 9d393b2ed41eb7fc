import type pg from 'pg';
import { inTime } from '../../util/in-time.ts';
import { decodeCommit, verifyChain } from '../commit-codec.ts';
import {
  BrokenChainError,
  COMMAND_MEMORY_MS,
  type Cursor,
  EMPTY_STREAM,
  type EventLog,
  type Lag,
  LogUnavailableError,
  type RecordedCommit,
  type StreamHead,
  type StreamSlice,
} from '../port.ts';
import { orderKeyOf, positionOf } from './position.ts';

type PostgresReads = Pick<EventLog, 'findCommand' | 'read' | 'streamHeads' | 'endCursor' | 'lag' | 'ping'>;

/** The reads of the log that answer once. */
export function postgresReads(readers: pg.Pool, maxWaitMs: number): PostgresReads {
  const answered = <T>(query: Promise<T>): Promise<T> =>
    inTime(query, maxWaitMs, () => new LogUnavailableError('the log did not answer in time'));
  const findCommand = commandFinder(readers);

  return {
    findCommand: (_stream, id, at) => answered(findCommand(id, at)),

    async read(stream, from = EMPTY_STREAM, atMost = Number.MAX_SAFE_INTEGER): Promise<StreamSlice> {
      const { rows } = await answered(
        readers.query<{ txid: string; seq: string; body: string | null; rev: number; hash: string }>({
          name: 'log_stream',
          text: `SELECT c.txid::text, c.seq::text, c.body, s.revision AS rev, s.hash
                 FROM log.streams AS s
                 LEFT JOIN log.commits AS c ON c.stream = s.stream AND c.revision > $2 AND c.revision <= $2 + $3::bigint
                 WHERE s.stream = $1 ORDER BY c.revision`,
          values: [stream, from.revision, atMost],
        }),
      );
      if (rows.length === 0) return { head: from, commits: [] };
      const commits = rows.flatMap(({ txid, seq, body }) =>
        body === null ? [] : [decodeCommit(body, positionOf({ txid, seq }), Number(seq))],
      );
      const head = verifyChain(stream, from, commits);
      if (commits.length < atMost) checkHead(stream, head, { revision: rows[0]!.rev, hash: rows[0]!.hash });
      return { head, commits };
    },

    async streamHeads(streams) {
      const { rows } = await answered(
        readers.query<{ stream: string } & StreamHead>({
          name: 'log_ends',
          text: 'SELECT stream, revision, hash FROM log.streams WHERE stream = ANY ($1)',
          values: [streams],
        }),
      );
      return new Map(rows.map(({ stream, ...head }) => [stream, head]));
    },

    async endCursor(): Promise<Cursor> {
      const { rows } = await readers.query<{ txid: string; seq: string }>({
        name: 'log_head',
        text: 'SELECT txid::text, seq::text FROM log.commits ORDER BY commits.txid DESC, commits.seq DESC LIMIT 1',
      });
      return new Map(rows.map((row) => [0, positionOf(row)]));
    },

    async lag(after): Promise<Lag> {
      const { txid, seq } = orderKeyOf(after.get(0));
      const { rows } = await readers.query<{ commits: string; seconds: number }>({
        name: 'log_lag',
        // Sequence numbers may have gaps, so the count is an upper bound; counting rows would read them all.
        text: `SELECT (SELECT coalesce(max(seq), 0) FROM
                        (SELECT seq FROM log.commits ORDER BY txid DESC, seq DESC LIMIT 1) AS last) - $2::bigint AS commits,
                 extract(epoch FROM clock_timestamp()) - (body::json->>'at')::float8 / 1000 AS seconds
               FROM log.commits WHERE (txid, seq) > ($1::xid8, $2::bigint) ORDER BY txid, seq LIMIT 1`,
        values: [txid, seq],
      });
      const row = rows[0];
      if (row === undefined) return { commits: 0, seconds: 0 };
      return { commits: Math.max(1, Number(row.commits)), seconds: Math.max(0, Number(row.seconds)) };
    },

    async ping() {
      await answered(readers.query('SELECT 1'));
    },
  };
}

/** @throws BrokenChainError the last commit of a stream is not its head in the table of stream heads */
function checkHead(stream: string, last: StreamHead, head: StreamHead): void {
  if (last.revision !== head.revision || last.hash !== head.hash)
    throw new BrokenChainError(stream, head.revision, `the stream ends at revision ${last.revision} instead`);
}

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
function commandFinder(readers: pg.Pool): (id: string, at: number) => Promise<RecordedCommit | null> {
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
