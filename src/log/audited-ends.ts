import type pg from 'pg';
import { EMPTY_STREAM, type StreamHead } from './port.ts';

/** Where the audit of a stream has come to. It is changed in place. */
export interface AuditedEnd extends StreamHead {
  revision: number;
  hash: string;
  /** A void record of the stream has been reported. */
  torn: boolean;
  /** The engine has noted an end of it. */
  noted: boolean;
}

export interface AuditedEnds {
  /** Of these streams, those that are new at their beginning; valid until it is asked again. */
  of(streams: readonly string[]): Promise<ReadonlyMap<string, AuditedEnd>>;
  /** The streams that have commits and no noted end. */
  notNoted(): AsyncIterable<{ readonly stream: string; readonly revision: number }>;
  close(): Promise<void>;
}

/** Streams in memory, some 200 bytes each; beyond that all go to a table of the session. */
const IN_MEMORY = 200_000;

/** What an audit knows of the ends of streams, in the memory of so many. */
export async function openAuditedEnds(pool: pg.Pool, inMemory = IN_MEMORY): Promise<AuditedEnds> {
  const session = await pool.connect();
  const ends = new Map<string, AuditedEnd>();
  let spilled = false;
  try {
    await session.query('DROP TABLE IF EXISTS pg_temp.audited_ends');
    await session.query(`CREATE TEMPORARY TABLE audited_ends (
      stream text COLLATE "C" PRIMARY KEY, revision integer NOT NULL, hash text NOT NULL,
      torn boolean NOT NULL, noted boolean NOT NULL)`);
  } catch (error) {
    session.release(true);
    throw error;
  }

  async function spill(): Promise<void> {
    spilled = true;
    const all = [...ends];
    const column = <K extends keyof AuditedEnd>(key: K): AuditedEnd[K][] => all.map(([, end]) => end[key]);
    await session.query(
      `INSERT INTO audited_ends
       SELECT * FROM unnest($1::text[], $2::integer[], $3::text[], $4::boolean[], $5::boolean[])
       ON CONFLICT (stream) DO UPDATE SET revision = excluded.revision, hash = excluded.hash, torn = excluded.torn,
         noted = excluded.noted`,
      [all.map(([stream]) => stream), column('revision'), column('hash'), column('torn'), column('noted')],
    );
    ends.clear();
  }

  return {
    async of(streams) {
      if (ends.size >= inMemory) await spill();
      const unknown = [...new Set(streams)].filter((stream) => !ends.has(stream));
      if (unknown.length === 0) return ends;
      for (const stream of unknown) ends.set(stream, { ...EMPTY_STREAM, torn: false, noted: false });
      if (spilled) {
        const { rows } = await session.query<AuditedEnd & { stream: string }>(
          'SELECT stream, revision, hash, torn, noted FROM audited_ends WHERE stream = ANY ($1)',
          [unknown],
        );
        for (const { stream, ...end } of rows) ends.set(stream, end);
      }
      return ends;
    },

    async *notNoted() {
      await spill();
      for (let after = ''; ; ) {
        const { rows } = await session.query<{ stream: string; revision: number }>(
          `SELECT stream, revision FROM audited_ends WHERE NOT noted AND revision > 0 AND stream > $1
           ORDER BY stream LIMIT 1000`,
          [after],
        );
        yield* rows;
        const last = rows.at(-1);
        if (last === undefined) return;
        after = last.stream;
      }
    },

    async close() {
      // The session goes with its table.
      session.release(true);
    },
  };
}
