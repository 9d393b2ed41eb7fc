import { once } from 'node:events';
import { readdir, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../../../src/database/embedded/open-embedded-postgres.ts';
import { query, serverOf, temporaryDataDir } from '../../support/embedded-postgres.ts';
import { longOnly } from '../../support/long-only.ts';

const log = { info: () => {}, warn: () => {} };

let folder: Awaited<ReturnType<typeof temporaryDataDir>>;
beforeEach(async () => {
  folder = await temporaryDataDir();
});
afterEach(() => folder.remove());

const open = (role: 'service' | 'command') => openEmbeddedPostgres({ dataDir: folder.path, role, log, durable: false });

describe('a service', () => {
  test('keeps its data and its address between runs, and leaves no server behind', async () => {
    const first = await open('service');
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    await first.close();
    expect(await serverOf(folder.path)).toBeUndefined();

    const second = await open('service');
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await second.close();
  });

  test('has a server that is durable, has checksums, compares by code points, and serves only local clients with a password', async () => {
    const service = await openEmbeddedPostgres({ dataDir: folder.path, role: 'service', log });
    const settings = [
      'fsync',
      'synchronous_commit',
      'full_page_writes',
      'data_checksums',
      'server_encoding',
      'listen_addresses',
    ];
    const [shown] = await query(
      service.url,
      `SELECT ${settings.map((name) => `current_setting('${name}') AS ${name}`).join()}`,
    );
    expect(shown).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      data_checksums: 'on',
      server_encoding: 'UTF8',
      listen_addresses: '127.0.0.1',
    });
    expect(await query(service.url, `SELECT 'Z' < 'a' AS code_points, lower('ÄÖ') AS lower`)).toEqual([
      { code_points: true, lower: 'äö' },
    ]);
    const [role] = await query(service.url, 'SELECT rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user');
    expect(role).toEqual({ rolsuper: false, rolcreatedb: true });
    await expect(query(service.url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toMatchObject({
      code: '28P01',
    });
    expect((await stat(join(folder.path, 'postgres.json'))).mode & 0o777).toBe(0o600);
    await service.close();
  });

  test('is refused in one line on a folder in use, by any path to it, and starts there once it is free', async () => {
    const first = await open('service');
    const otherPath = join(folder.path, 'link');
    await symlink('.', otherPath);
    await expect(openEmbeddedPostgres({ dataDir: otherPath, role: 'service', log })).rejects.toMatchObject({
      code: 'folder-in-use',
      message: `another botledger service uses ${folder.path}: stop it, or set another DATA_DIR`,
    });
    expect(await query(first.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await first.close();
    await (await open('service')).close();
  });

  longOnly('moves to another port when its own is taken', async () => {
    const first = await open('service');
    await first.close();
    const intruder = createServer().listen({ host: '127.0.0.1', port: Number(new URL(first.url).port) });
    await once(intruder, 'listening');
    const second = await open('service');
    expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
    expect(await query(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await second.close();
    intruder.close();
  });
});

describe('commands', () => {
  test('start the server for their own duration', async () => {
    const command = await open('command');
    expect(await query(command.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await command.close();
    expect(await serverOf(folder.path)).toBeUndefined();
  });

  test('that start at once share one server, which the last one stops', async () => {
    const [first, second] = await Promise.all([open('command'), open('command')]);
    expect(second.url).toBe(first.url);
    await first.close();
    expect(await query(second.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await second.close();
    expect(await serverOf(folder.path)).toBeUndefined();
  });

  test('join the server of a running service and leave it alone', async () => {
    const service = await open('service');
    const server = await serverOf(folder.path);
    const command = await open('command');
    expect(command.url).toBe(service.url);
    await command.close();
    expect(await serverOf(folder.path)).toEqual(server);
    await service.close();
  });

  test('that started the server can end while a later service uses it, and the other way round', async () => {
    const [early, late] = [await open('command'), await open('command')];
    const server = await serverOf(folder.path);
    const service = await open('service');
    await early.close();
    expect(await serverOf(folder.path)).toEqual(server);
    await service.close();
    expect(await query(late.url, 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    await late.close();
    expect(await serverOf(folder.path)).toBeUndefined();
  });

  longOnly('that start and end concurrently leave neither a server nor an incomplete cluster', async () => {
    const oneCommand = async (): Promise<void> => {
      const command = await open('command');
      await query(command.url, 'SELECT 1');
      await command.close();
    };
    await Promise.all(Array.from({ length: 6 }, oneCommand));
    expect(await serverOf(folder.path)).toBeUndefined();
    expect((await readdir(folder.path)).filter((name) => name.includes('.new'))).toEqual([]);
  });
});
