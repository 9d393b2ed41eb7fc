import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tryLockFolder } from '../../../src/database/embedded/folder-lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe.runIf(process.platform === 'linux')('the lock of a folder', () => {
  it('has one holder, and each name is a separate lock', async () => {
    const lock = await tryLockFolder(folder, 'service');
    expect(lock).toBeDefined();
    expect(await tryLockFolder(folder, 'service')).toBeUndefined();
    const other = await tryLockFolder(folder, 'start');
    expect(other).toBeDefined();
    await Promise.all([lock!.release(), other!.release()]);
    const again = await tryLockFolder(folder, 'service');
    expect(again).toBeDefined();
    await again!.release();
  });

  it('cannot be held by an account that may not open its file', async () => {
    const { dev, ino } = await stat(folder, { bigint: true });
    const squatter = createServer().listen({ path: `\0botledger/service/${dev}/${ino}` });
    await once(squatter, 'listening');
    const lock = await tryLockFolder(folder, 'service');
    expect(lock).toBeDefined();
    await lock!.release();
    squatter.close();
    expect((await stat(join(folder, 'service.lock'))).mode & 0o777).toBe(0o600);
    if (process.getuid?.() !== 0) return;
    await chmod(folder, 0o755);
    const { status } = spawnSync('flock', ['-n', join(folder, 'service.lock'), 'true'], { uid: 65534, gid: 65534 });
    expect(status).not.toBe(0);
  });

  it('is free once its holder is killed with -9, and stays held when the holder only gets signals to stop', async () => {
    const program = `
      const { tryLockFolder } = await import(${JSON.stringify(join(process.cwd(), 'src/database/embedded/folder-lock.ts'))});
      process.on('SIGINT', () => {});
      if (await tryLockFolder(${JSON.stringify(folder)}, 'service')) console.log('held');
      setInterval(() => {}, 1000);`;
    const holder = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    await once(holder.stdout, 'data');
    process.kill(-holder.pid!, 'SIGINT');
    expect(await tryLockFolder(folder, 'service')).toBeUndefined();
    process.kill(holder.pid!, 'SIGKILL');
    await expect.poll(async () => (await tryLockFolder(folder, 'service')) !== undefined).toBe(true);
  });

  it('follows no link at the place of its file', async () => {
    await symlink('/etc/hostname', join(folder, 'service.lock'));
    await expect(tryLockFolder(folder, 'service')).rejects.toThrow('ELOOP');
  });
});
