import { Kysely, type Migration, Migrator, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';

/** Numbered, immutable migrations of one schema: name -> SQL. A landed migration is never edited; a change is a new one. */
export type Migrations = Readonly<Record<string, string>>;

/** The database has migrations that this binary does not know: it was written by a newer version. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/**
 * Brings `schema` to the newest migration. Safe under concurrent starts: Kysely's migrator holds one advisory lock
 * and each run is one transaction.
 * @throws NewerDatabaseError
 */
export async function migrate(pool: pg.Pool, schema: string, migrations: Migrations): Promise<void> {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: borrowed(pool) }) });
  const migrator = new Migrator({
    db,
    migrationTableSchema: schema,
    provider: { getMigrations: () => Promise.resolve(statements(migrations)) },
  });
  const known = new Set(Object.keys(migrations));
  const done = await applied(db, schema);
  const newer = done.filter((name) => !known.has(name));
  if (newer.length > 0)
    throw new NewerDatabaseError(
      `the database was written by a newer version: schema ${schema} has ${newer.join(', ')}, which this one does not know`,
    );
  // Kysely looks through every table of every schema, and fails when somebody drops one meanwhile.
  if (done.length === known.size) return;
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Kysely ends its pool when destroyed; this one belongs to the caller. */
function borrowed(pool: pg.Pool): Pick<pg.Pool, 'connect'> & { end(): Promise<void> } {
  return { connect: () => pool.connect(), end: () => Promise.resolve() } as never;
}

function statements(migrations: Migrations): Record<string, Migration> {
  return Object.fromEntries(
    Object.entries(migrations).map(([name, text]) => [
      name,
      {
        async up(db: Kysely<unknown>) {
          await sql.raw(text).execute(db);
        },
      },
    ]),
  );
}

async function applied(db: Kysely<unknown>, schema: string): Promise<string[]> {
  const exists = await sql<{
    t: string | null;
  }>`SELECT to_regclass(${`${schema}.kysely_migration`})::text AS t`.execute(db);
  if (exists.rows[0]?.t == null) return [];
  const rows = await sql<{ name: string }>`SELECT name FROM ${sql.table(`${schema}.kysely_migration`)}`.execute(db);
  return rows.rows.map((row) => row.name);
}
