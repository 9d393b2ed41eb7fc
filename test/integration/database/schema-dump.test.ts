import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Migrations, migrate } from '../../../src/database/migrate.ts';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { ENGINES } from '../../../src/log/engines.ts';
import { migrateProcessesSchema } from '../../../src/processes/process-states.ts';
import { migrateProofSchema } from '../../../src/queries/proof/proof-schema.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createFirstTables } from '../../support/read-model-tables.ts';
import { readModels } from '../../support/read-models.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

/** Tables with columns, constraints, indexes and triggers, then functions, of all schemas of the service. */
const DUMP = `
WITH ours AS (
  SELECT oid, nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$|public$)'
), parts AS (
  SELECT nspname, relname, 0 AS part, attnum AS place,
         format('  %s %s%s%s', attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN ' NOT NULL' END,
                ' DEFAULT ' || pg_get_expr(adbin, adrelid)) AS line
    FROM pg_class JOIN ours ON relnamespace = ours.oid
    JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_attrdef ON adrelid = pg_class.oid AND adnum = attnum
   WHERE relkind IN ('r', 'p', 'v', 'm')
  UNION ALL
  SELECT nspname, relname, 1, row_number() OVER (ORDER BY conname), '  ' || pg_get_constraintdef(c.oid)
    FROM pg_constraint AS c JOIN pg_class ON conrelid = pg_class.oid JOIN ours ON relnamespace = ours.oid
   WHERE contype <> 'n'
  UNION ALL
  SELECT schemaname, tablename, 2, row_number() OVER (ORDER BY indexname), '  ' || indexdef
    FROM pg_indexes JOIN ours ON nspname = schemaname
  UNION ALL
  SELECT nspname, relname, 3, row_number() OVER (ORDER BY tgname), '  ' || pg_get_triggerdef(t.oid)
    FROM pg_trigger AS t JOIN pg_class ON tgrelid = pg_class.oid JOIN ours ON relnamespace = ours.oid
   WHERE NOT tgisinternal
  UNION ALL
  SELECT nspname, '~ function ' || proname, 4, row_number() OVER (ORDER BY proname), pg_get_functiondef(p.oid)
    FROM pg_proc AS p JOIN ours ON pronamespace = ours.oid
)
SELECT format(E'%s.%s\\n%s', nspname, relname, string_agg(line, E'\\n' ORDER BY part, place)) AS "table"
  FROM parts GROUP BY nspname, relname ORDER BY nspname COLLATE "C", relname COLLATE "C"`;

it('the tables of all schemas are those of docs/database-schema.txt', async () => {
  const { pool } = database;
  await migrateRuntimeSchema(pool);
  await migrateProcessesSchema(pool);
  await migrateProofSchema(pool);
  for (const { SCHEMA, migrations } of await engineSchemas()) await migrate(pool, SCHEMA, migrations);
  for (const model of readModels) await createFirstTables(pool, model);
  const { rows } = await pool.query<{ table: string }>(DUMP);
  const note = 'Tables of the service. Update: npx vitest run test/integration/database/schema-dump.test.ts --update';
  await expect(`${[note, ...rows.map(({ table }) => table)].join('\n\n')}\n`).toMatchFileSnapshot(
    '../../../docs/database-schema.txt',
  );
});

/** Imports `migrations.ts` from the folder of each engine. */
function engineSchemas(): Promise<{ readonly SCHEMA: string; readonly migrations: Migrations }[]> {
  const folder = join(import.meta.dirname, '../../../src/log');
  const found = readdirSync(folder)
    .map((name) => join(folder, name, 'migrations.ts'))
    .filter((path) => existsSync(path));
  expect(found).toHaveLength(ENGINES.length);
  return Promise.all(found.map((path) => import(path)));
}
