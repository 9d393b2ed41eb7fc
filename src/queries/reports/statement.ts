import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely';
import pg from 'pg';

/** Kysely as a compiler only: its `sql` template makes every value a parameter. It opens no connections. */
const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** Compiles a fragment to a statement for `pg`. */
export function statement(fragment: RawBuilder<unknown>): { text: string; values: unknown[] } {
  const compiled = fragment.compile(compiler);
  return { text: compiled.sql, values: [...compiled.parameters] };
}

/**
 * SQL: when the server began to answer. The second function changes after a crash of one of its processes: the server then
 * recovers, the time of its start stays, and commits that did not wait for the disk may be lost.
 */
export const SERVER_SINCE = sql`pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time()`;

/** Compiles a fragment to a statement without parameters, for COPY: its values (text or numbers) become constants. */
export function withConstants(fragment: RawBuilder<unknown>): string {
  const { text, values } = statement(fragment);
  return text.replace(/\$(\d+)/g, (_, number) => {
    const value = values[Number(number) - 1];
    if (typeof value === 'number') return String(value);
    if (typeof value === 'string') return pg.escapeLiteral(value);
    throw new TypeError(`COPY takes no ${typeof value}`);
  });
}
