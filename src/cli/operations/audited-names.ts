import type pg from 'pg';

/** Names that one account may have and no other. */
export interface AuditedNames {
  /** @returns the names that another account has taken, with its stream; the rest are this one's from now on */
  take(stream: string, names: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Forgets them all. */
  close(): void;
}

/** In a table of its session, by their hashes: there may be millions. */
export async function openAuditedNames(pool: pg.Pool): Promise<AuditedNames> {
  const session = await pool.connect();
  try {
    await session.query('CREATE TEMPORARY TABLE audited_names (hash bytea PRIMARY KEY, stream text NOT NULL)');
  } catch (error) {
    session.release(true);
    throw error;
  }
  return {
    async take(stream, names) {
      if (names.length === 0) return new Map();
      const { rows } = await session.query<{ name: string; stream: string }>(TAKE, [names, stream]);
      return new Map(rows.map((row) => [row.name, row.stream]));
    },

    close() {
      // The session goes with its table.
      session.release(true);
    },
  };
}

/** What the statement itself inserts it does not see: what it sees is older. */
const TAKE = `
  WITH given AS (SELECT DISTINCT name, substr(sha256(convert_to(name, 'UTF8')), 1, 16) AS hash FROM unnest($1::text[]) name),
       taken AS (INSERT INTO audited_names SELECT hash, $2 FROM given ON CONFLICT DO NOTHING)
  SELECT name, stream FROM given JOIN audited_names USING (hash) WHERE stream <> $2 ORDER BY name`;
