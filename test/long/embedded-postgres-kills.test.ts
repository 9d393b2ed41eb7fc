import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../../src/database/embedded/open-embedded-postgres.ts';
import {
  eventually,
  type PostgresProcess,
  query,
  serverOf,
  startPostgresProcess,
  temporaryDataDir,
} from '../support/embedded-postgres.ts';

type Folder = Awaited<ReturnType<typeof temporaryDataDir>>;

/** A folder with a cluster that has one committed row. Tests copy it, since making one takes longer than most of them. */
let made: Folder;
beforeAll(async () => {
  made = await temporaryDataDir();
  const service = startPostgresProcess(made.path, 'service');
  await query(await service.said('url'), 'CREATE TABLE kept AS SELECT 1 AS n');
  expect(await service.kill('SIGTERM')).toBe(0);
});
afterAll(() => made.remove());

let folder: Folder;
let processes: PostgresProcess[];
beforeEach(async () => {
  folder = await temporaryDataDir();
  processes = [];
});
afterEach(async () => {
  await Promise.all(processes.filter((started) => started.isRunning()).map((started) => started.kill('SIGKILL')));
  await folder.remove();
});

function start(role: 'service' | 'command'): PostgresProcess {
  const started = startPostgresProcess(folder.path, role);
  processes.push(started);
  return started;
}

async function serverPid(): Promise<number> {
  const server = await serverOf(folder.path);
  if (server === undefined) throw new Error('no server runs');
  return server.pid;
}

/** Copies the cluster with its owner (an ordinary account if root runs the tests). */
async function copyCluster(): Promise<void> {
  await promisify(execFile)('cp', ['-a', `${made.path}/.`, folder.path]);
}

/** A service with one committed row. */
async function serviceWithData(): Promise<{ service: PostgresProcess; url: string }> {
  await copyCluster();
  const service = start('service');
  return { service, url: await service.said('url') };
}

/** Expects that the next start works at the same address and has the row, and that it stops cleanly. */
async function expectNextStart(url: string): Promise<void> {
  const next = start('service');
  expect(await next.said('url')).toBe(url);
  expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  expect(await next.kill('SIGTERM')).toBe(0);
  expect(await serverOf(folder.path)).toBeUndefined();
}

describe.each(['SIGTERM', 'SIGINT'] as const)('%s to the whole process group', (signal) => {
  test('leaves the server running until the service has drained', async () => {
    const { service } = await serviceWithData();
    expect(await service.killGroup(signal)).toBe(0);
    expect(await service.said('drained')).toBe(42);
    expect(await serverOf(folder.path)).toBeUndefined();
  });
});

describe('kill -9', () => {
  test('of the service: the next start replaces its server', async () => {
    const { service, url } = await serviceWithData();
    const orphan = await serverPid();
    await service.kill('SIGKILL');
    const next = start('service');
    expect(await next.said('url')).toBe(url);
    expect(await serverPid()).not.toBe(orphan);
    expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await next.kill('SIGTERM');
  });

  test('of the service and the server together', async () => {
    const { service, url } = await serviceWithData();
    const server = await serverPid();
    process.kill(server, 'SIGKILL');
    await service.killGroup('SIGKILL');
    await expectNextStart(url);
  });

  test('of everything while a backend is busy: the next start waits until the backend has ended', async () => {
    const { service, url } = await serviceWithData();
    const server = await serverPid();
    const busy = query(url, burnCpu(3)).catch(() => {});
    await eventually(async () => expect(await query(url, COUNT_BUSY)).toEqual([{ busy: 1 }]));
    process.kill(server, 'SIGKILL');
    await service.killGroup('SIGKILL');
    await expectNextStart(url);
    await busy;
  });

  test('of the server: the running service restarts it at the same address', async () => {
    const { url } = await serviceWithData();
    for (let round = 0; round < 2; round += 1) {
      const server = await serverPid();
      process.kill(server, 'SIGKILL');
      await eventually(async () => expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]));
      expect(await serverPid()).not.toBe(server);
    }
  });

  test('of one backend: the server recovers by itself and keeps running', async () => {
    const { service, url } = await serviceWithData();
    const server = await serverPid();
    const presence = `SELECT pid FROM pg_stat_activity WHERE application_name = 'botledger presence'`;
    const [before] = await query(url, presence);
    process.kill(Number(before?.['pid']), 'SIGKILL');
    await service.said('log', 'PostgreSQL is back');
    expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    expect(await serverPid()).toBe(server);
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(await serverOf(folder.path)).toBeUndefined();
  });

  test('of one backend repeatedly: each time the service waits longer before it joins the recovered server', async () => {
    const { service, url } = await serviceWithData();
    const presence = `SELECT pid FROM pg_stat_activity WHERE application_name = 'botledger presence'`;
    for (const seconds of [0, 0.25, 0.5]) {
      await eventually(async () => {
        const [client] = await query(url, presence);
        process.kill(Number(client?.['pid']), 'SIGKILL');
      });
      await service.said('log', `lost PostgreSQL; joining or starting it in ${seconds} s`);
    }
    await eventually(async () => expect(await query(url, presence)).toHaveLength(1));
    expect(await service.kill('SIGTERM')).toBe(0);
  });

  test('of the server under a command while a service runs: the service starts it, and the command joins it', async () => {
    const { service, url } = await serviceWithData();
    expect(await service.kill('SIGTERM')).toBe(0);
    const said: string[] = [];
    const note = (text: string): void => void said.push(text);
    const log = { info: note, warn: note };
    const command = await openEmbeddedPostgres({ dataDir: folder.path, role: 'command', log, durable: false });
    command.startNoServer();
    process.kill(await serverPid(), 'SIGKILL');
    await eventually(async () => expect(said.join('\n')).toContain('a service is running and has to start'));
    expect(await serverOf(folder.path)).toBeUndefined();
    const next = start('service');
    expect(await next.said('url')).toBe(url);
    await eventually(async () => expect(said).toContain('PostgreSQL is back'));
    await command.close();
    expect(await next.kill('SIGTERM')).toBe(0);
  });

  test('of the service: an abort ends a start that waits for the old server to stop', async () => {
    const { service } = await serviceWithData();
    const orphan = await serverPid();
    await service.kill('SIGKILL');
    process.kill(orphan, 'SIGSTOP');
    const stopping = new AbortController();
    const warn = (text: string): void => {
      if (text.startsWith('stopping the PostgreSQL server')) stopping.abort(new Error('called off'));
    };
    const log = { info: () => {}, warn };
    const signal = stopping.signal;
    try {
      const opening = openEmbeddedPostgres({ dataDir: folder.path, role: 'service', log, durable: false, signal });
      await expect(opening).rejects.toThrow('called off');
      expect(await serverPid(), 'the orphan has yet to stop').toBe(orphan);
    } finally {
      process.kill(orphan, 'SIGCONT');
    }
  });

  test('of the server, then at once of the service that starts it again', async () => {
    const { service, url } = await serviceWithData();
    process.kill(await serverPid(), 'SIGKILL');
    await service.said('log'); // the service has noticed the kill
    await service.kill('SIGKILL');
    await expectNextStart(url);
  });

  test('of the service while a command uses its server: the next service joins that server, and restarts it after a kill', async () => {
    const { service, url } = await serviceWithData();
    const command = start('command');
    await command.said('url');
    const server = await serverPid();
    await service.kill('SIGKILL');

    const next = start('service');
    expect(await next.said('url')).toBe(url);
    expect(await serverPid()).toBe(server);
    expect(await command.kill('SIGTERM')).toBe(0);
    expect(await serverPid()).toBe(server);
    process.kill(server, 'SIGKILL');
    await eventually(async () => expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]));
  });

  test('of a command that started the server: the next command joins it, and stops it', async () => {
    await copyCluster();
    const first = start('command');
    const url = await first.said('url');
    const server = await serverPid();
    await first.kill('SIGKILL');
    const next = start('command');
    expect(await next.said('url')).toBe(url);
    expect(await serverPid()).toBe(server);
    expect(await next.kill('SIGTERM')).toBe(0);
    expect(await serverOf(folder.path)).toBeUndefined();
  });

  test('while the cluster is being made: the next start removes the incomplete cluster', async () => {
    do {
      await folder.remove();
      folder = await temporaryDataDir();
      const killed = start('service');
      await eventually(async () => expect((await readdir(folder.path)).join()).toContain('postgres.new-'));
      await killed.kill('SIGKILL');
    } while ((await readdir(folder.path)).includes('postgres')); // the kill came too late

    const next = start('service');
    expect(await query(await next.said('url'), 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    expect((await readdir(folder.path)).filter((name) => name.startsWith('postgres')).sort()).toEqual([
      'postgres',
      'postgres.json',
      'postgres.log',
    ]);
  });
});

test('a start succeeds when the pid file names an unrelated process, as after a restart of a container', async () => {
  const { service, url } = await serviceWithData();
  const pidFile = join(folder.path, 'postgres', 'postmaster.pid');
  const left = (await readFile(pidFile, 'utf8')).split('\n');
  await service.kill('SIGTERM');
  const { uid, gid } = await stat(join(folder.path, 'postgres'));
  const foreigner = spawn('sleep', ['600'], process.getuid?.() === 0 ? { uid, gid } : {});
  await once(foreigner, 'spawn');
  await writeFile(pidFile, [String(foreigner.pid), ...left.slice(1)].join('\n'));

  await expectNextStart(url);
  expect(foreigner.exitCode).toBeNull();
  foreigner.kill();
});

test('a start replaces a server that refuses all connections and has no startup process', async () => {
  await copyCluster();
  const { port } = JSON.parse(await readFile(join(folder.path, 'postgres.json'), 'utf8'));
  // The service recognises its server by the pid file and `-D <folder>` on the command line.
  const cluster = join(folder.path, 'postgres');
  const stuck = spawn(process.execPath, ['-e', REFUSE_ALL, '--', String(port), '-D', cluster, '.']);
  await once(stuck.stdout, 'data');
  const lines = [stuck.pid, cluster, 0, port, '', '127.0.0.1', '', 'starting'];
  await writeFile(join(cluster, 'postmaster.pid'), `${lines.join('\n')}\n`);

  const command = start('command');
  expect(await query(await command.said('url'), 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  expect(await command.said('log')).toMatch(
    `PostgreSQL (pid ${stuck.pid}) refuses connections and has no startup process`,
  );
  expect(stuck.signalCode).toBe('SIGQUIT');
  expect(await command.kill('SIGTERM')).toBe(0);
});

/** Answers every connection with an ErrorResponse of PostgreSQL's protocol, as a server does during crash recovery. */
const REFUSE_ALL = `
  const fields = 'SFATAL\\0C57P03\\0Mthe database system is in recovery mode\\0\\0';
  const head = Buffer.from([69, 0, 0, 0, fields.length + 4]);
  require('node:net')
    .createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(Buffer.concat([head, Buffer.from(fields)]))))
    .listen(Number(process.argv[1]), '127.0.0.1', () => console.log('listening'));`;

/** Computes instead of pg_sleep, since pg_sleep ends with the postmaster and a computing backend does not. */
const burnCpu = (seconds: number): string => `
  DO $$ DECLARE n bigint := 0; BEGIN
    WHILE clock_timestamp() < statement_timestamp() + interval '${seconds} s' LOOP n := n + 1; END LOOP;
  END $$`;
const COUNT_BUSY = `SELECT count(*)::int AS busy FROM pg_stat_activity WHERE query LIKE '%statement_timestamp%' AND state = 'active' AND pid <> pg_backend_pid()`;
