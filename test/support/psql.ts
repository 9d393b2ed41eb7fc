import { parseArgs } from 'node:util';
import pg from 'pg';

/**
 * Stands in for psql, since not every machine has it. Takes any number of `-c SQL`, and `-U ROLE`; connects to
 * DATABASE_URL or as PGHOST and similar variables say. Prints rows much as psql does. Without `-c` it only connects.
 */
const { values } = parseArgs({
  options: { command: { type: 'string', short: 'c', multiple: true }, user: { type: 'string', short: 'U' } },
});
const client = new pg.Client({ connectionString: process.env['DATABASE_URL'], user: values.user });
await client.connect();
for (const command of values.command ?? []) {
  const sql = command === '\\dn' ? 'SELECT nspname FROM pg_namespace' : command;
  const { fields, rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  if (fields.length === 0) continue;
  const lines = rows.map((row) => row.map((value) => value ?? '').join(' | '));
  process.stdout.write([fields.map(({ name }) => name).join(' | '), '---+---', ...lines, ''].join('\n'));
}
await client.end();
