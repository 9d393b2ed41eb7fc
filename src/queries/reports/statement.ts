import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
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
  const { sql, parameters } = fragment.compile(compiler);
  return { text: sql, values: [...parameters] };
}

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
