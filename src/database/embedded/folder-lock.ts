import { closeSync, constants, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode } from './error.ts';

export interface FolderLock {
  release(): Promise<void>;
}

/**
 * Takes the lock `name` of a folder for this OS process; undefined if another OS process has it. The operating system frees the
 * lock when the OS process ends, however it ends. A file with a pid would outlive a kill -9, and pids are reused.
 */
export async function tryLockFolder(folder: string, name: string): Promise<FolderLock | undefined> {
  return process.platform === 'linux' ? lockSocket(folder, name) : lockFile(folder, name);
}

/** Like `tryLockFolder`, but waits until the lock is free; undefined if it is not free within `timeoutMs`. */
export async function lockFolder(
  folder: string,
  name: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<FolderLock | undefined> {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    const lock = await tryLockFolder(folder, name);
    if (lock !== undefined || Date.now() > giveUpAt) return lock;
    await sleep(50, undefined, { signal });
  }
}

/**
 * Locks by a socket in Linux's abstract namespace, since Node has no file lock there. One OS process at a time can bind it, and
 * it leaves no file. Its name has the folder's device and inode, so that every path to the folder means the same lock. The lock
 * holds within a network namespace: two containers that share a folder do not see each other's lock, nor each other's pid in
 * PostgreSQL's own postmaster.pid.
 */
async function lockSocket(folder: string, name: string): Promise<FolderLock | undefined> {
  const { dev, ino } = await stat(folder, { bigint: true });
  const server = createServer((connection) => connection.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    // `exclusive`: otherwise a worker of node:cluster would share its parent's handle, and the lock with it.
    server.listen({ path: `\0botledger/${name}/${dev}/${ino}`, exclusive: true }, () =>
      resolve({ release: () => new Promise((done) => server.close(() => done())) }),
    );
  });
}

/**
 * Locks by a file that one OS process at a time may have open, on macOS and Windows (`UV_FS_O_EXLOCK`, libuv's documentation
 * of uv_fs_open).
 */
async function lockFile(folder: string, name: string): Promise<FolderLock | undefined> {
  const exclusive = process.platform === 'win32' ? 0x1000_0000 : 0x20 | constants.O_NONBLOCK;
  try {
    const file = openSync(join(folder, `${name}.lock`), constants.O_RDWR | constants.O_CREAT | exclusive, 0o600);
    return { release: async () => closeSync(file) };
  } catch (error) {
    if (['EAGAIN', 'EBUSY', 'EWOULDBLOCK'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
