import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CATALOG_DDL } from '../../src/projections/catalog/tables.ts';
import { PSQL } from '../support/console.ts';
import { query, startPostgresProcess, temporaryDataDir } from '../support/embedded-postgres.ts';
import { blocksOf, isRun, runBlocks } from '../support/pages.ts';

/** Follows docs/psql.md as an operator does. */
const blocks = blocksOf('docs/psql.md');
const statements = blocks.filter(({ language }) => language === 'sql').map(({ text }) => text);

test('the read-only role of docs/psql.md reads the log and read models, no key and no token, and writes nothing', async () => {
  const folder = await temporaryDataDir();
  const server = startPostgresProcess(folder.path, 'service');
  try {
    const service = await server.said('url');
    await query(
      service,
      `CREATE SCHEMA log; CREATE TABLE log.commits (n int); CREATE TABLE log.keys (n int); INSERT INTO log.commits VALUES (1);
       CREATE SCHEMA events_v1; CREATE TABLE events_v1.chunks AS SELECT 2 AS n;
       CREATE SCHEMA catalog_v12; SET search_path = catalog_v12; ${CATALOG_DDL} RESET search_path;
       CREATE SCHEMA catalog_until; SET search_path = catalog_until; ${CATALOG_DDL} RESET search_path;
       CREATE SCHEMA kafka_index; CREATE TABLE kafka_index.keys AS SELECT 3 AS n;`,
    );
    const { port, password } = JSON.parse(await readFile(join(folder.path, 'postgres.json'), 'utf8'));
    const as = (user: string, secret: string): string => `postgres://${user}:${secret}@127.0.0.1:${port}/botledger`;
    expect(statements).toHaveLength(2);
    for (const sql of statements) await query(as('postgres', password), sql);

    const reader = as('reader', 'change-me');
    expect(await query(reader, 'SELECT n FROM log.commits')).toEqual([{ n: 1 }]);
    expect(await query(reader, 'SELECT n FROM events_v1.chunks')).toEqual([{ n: 2 }]);
    for (const secret of ['log.keys', 'kafka_index.keys'])
      await expect(query(reader, `SELECT n FROM ${secret}`)).rejects.toThrow('permission denied');
    expect(await query(reader, 'SELECT bot_id, name, timezone FROM catalog_v12.bots')).toEqual([]);
    expect(await query(reader, 'SELECT * FROM catalog_v12.owners')).toEqual([]);
    expect(await query(reader, 'SELECT bot_id, name FROM catalog_until.bots')).toEqual([]);
    for (const columns of ['token', '*'])
      await expect(query(reader, `SELECT ${columns} FROM catalog_v12.bots`)).rejects.toThrow('permission denied');
    for (const write of [
      'INSERT INTO log.commits VALUES (2)',
      'DELETE FROM events_v1.chunks',
      'CREATE TABLE log.more (n int)',
    ]) {
      await expect(query(reader, write)).rejects.toThrow('read-only transaction');
      // Also not after it switches the setting off: a role may do so for itself.
      await expect(query(reader, `SET transaction_read_only = off; ${write}`)).rejects.toThrow('permission denied');
    }

    // Runs the shell lines in the folder that holds DATA_DIR.
    const parent = await mkdtemp(join(tmpdir(), 'botledger-psql-'));
    await symlink(folder.path, join(parent, '.data'));
    const scripts = blocks.filter(isRun).map(({ text }) => text);
    const [connected, looked] = await runBlocks([`${PSQL}\n${scripts[0]}`, ...scripts.slice(1)], {}, parent);
    await rm(parent, { recursive: true });
    expect(connected).toEqual([]);
    expect(looked).toEqual(expect.arrayContaining(['nspname', 'log', 'events_v1', 'count', '1']));

    // The role can read a read model that is built later after the second block runs again.
    await query(service, 'CREATE SCHEMA events_v2; CREATE TABLE events_v2.chunks AS SELECT 4 AS n');
    await query(as('postgres', password), statements[1]!);
    expect(await query(reader, 'SELECT n FROM events_v2.chunks')).toEqual([{ n: 4 }]);
  } finally {
    await server.kill('SIGTERM');
    await folder.remove();
  }
});
