import type { Kysely, Migration } from 'kysely';
import type pg from 'pg';

/**
 * Numbered, immutable migrations of one schema: name -> SQL. A landed migration is never edited; a change is a new one. With one
 * named `NNNN_expand_…` the release before still works: it only adds what that release does not have to know.
 */
export type Migrations = Readonly<Record<string, string>>;

/** A newer version has written the database: it has migrations that this version does not know. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/** A schema and the migrations that make its tables. */
export interface MigratedSchema {
  readonly schema: string;
  readonly migrations: Migrations;
}

/** The names of the migrations that {@link migrate} would run. @throws NewerDatabaseError */
export async function pendingMigrations(pool: pg.Pool, { schema, migrations }: MigratedSchema): Promise<string[]> {
  const done = await applied(pool, schema);
  refuseNewer(schema, migrations, done);
  return Object.keys(migrations).filter((name) => !done.includes(name));
}

/** Whether a release that does not know the migration works with it. */
export function isExpanding(name: string): boolean {
  return /^\d{4}_expand_/.test(name);
}

function refuseNewer(schema: string, migrations: Migrations, done: readonly string[]): void {
  const newer = done.filter((name) => !(name in migrations) && !isExpanding(name));
  if (newer.length > 0)
    throw new NewerDatabaseError(
      `the database was written by a newer version: schema ${schema} has ${newer.join(', ')}, unknown to this version`,
    );
}

/**
 * Brings `schema` to the newest migration. Safe under concurrent starts: Kysely's migrator holds one advisory lock
 * and each run is one transaction.
 * @throws NewerDatabaseError
 */
export async function migrate(pool: pg.Pool, schema: string, migrations: Migrations): Promise<void> {
  const done = await applied(pool, schema);
  refuseNewer(schema, migrations, done);
  // Skips Kysely: it reads every table of every schema and fails if one is dropped at the same time.
  if (Object.keys(migrations).every((name) => done.includes(name))) return;
  // Loaded only here, since it has 260 files. Most starts, and all commands but the first, have nothing to migrate.
  const { Kysely, Migrator, PostgresDialect, sql } = await import('kysely');
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: borrowed(pool) }) });
  const up = (text: string): Migration => ({
    async up(tx: Kysely<unknown>) {
      await sql.raw(text).execute(tx);
    },
  });
  const steps = Object.fromEntries(Object.entries(migrations).map(([name, text]) => [name, up(text)]));
  const migrator = new Migrator({
    db,
    migrationTableSchema: schema,
    provider: { getMigrations: () => Promise.resolve(steps) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** The pool without its end: Kysely ends its pool when destroyed, and this one belongs to the caller. */
function borrowed(pool: pg.Pool): Pick<pg.Pool, 'connect'> & { end(): Promise<void> } {
  return { connect: () => pool.connect(), end: () => Promise.resolve() } as never;
}

/** Reads the names of the schema's applied migrations from Kysely's table. */
async function applied(pool: pg.Pool, schema: string): Promise<string[]> {
  const table = `${schema}.kysely_migration`;
  const exists = await pool.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [table]);
  if (!exists.rows[0]!.found) return [];
  const { rows } = await pool.query<{ name: string }>(`SELECT name FROM ${table}`);
  return rows.map(({ name }) => name);
}
