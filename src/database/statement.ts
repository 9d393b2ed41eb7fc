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

/** Kysely, used only to compile SQL: its `sql` template makes every value a parameter. It opens no connections. */
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
 * SQL: when the server began to answer. If one of its processes crashes, the server recovers and may lose commits that did
 * not wait for the disk. The time of its start then stays the same; the second function changes.
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
