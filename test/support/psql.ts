import { parseArgs } from 'node:util';
import pg from 'pg';

/** Stands in for psql, which not every machine has: `-c SQL`, on DATABASE_URL. Rows are shown much as psql shows them. */
const { values } = parseArgs({ options: { command: { type: 'string', short: 'c', multiple: true } } });
const client = new pg.Client(process.env['DATABASE_URL']);
await client.connect();
for (const sql of values.command ?? []) {
  const { fields, rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  if (fields.length === 0) continue;
  const lines = rows.map((row) => row.map((value) => value ?? '').join(' | '));
  process.stdout.write([fields.map(({ name }) => name).join(' | '), '---+---', ...lines, ''].join('\n'));
}
await client.end();
