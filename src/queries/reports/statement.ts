import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely';

/** Kysely as a compiler only: its `sql` template turns every value into a parameter. It opens no connections. */
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
