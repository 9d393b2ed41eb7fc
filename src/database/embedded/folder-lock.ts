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
 * Locks `name` of a folder for this process; undefined if another process has it. The operating system frees the lock when the
 * process ends, however it ends: a file with a pid in it would outlive a kill -9, and pids come again.
 */
export async function tryLockFolder(folder: string, name: string): Promise<FolderLock | undefined> {
  return process.platform === 'linux' ? lockSocket(folder, name) : lockFile(folder, name);
}

/** Like `tryLockFolder`, but waits until the lock is free; undefined if it was not within `timeoutMs`. */
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
 * Linux: Node offers no file lock there, but a socket in the abstract namespace is bound by one process at a time and leaves nothing
 * behind. It is named by device and inode, so every path to the folder means the same lock. It reaches as far as the network
 * namespace: two containers that share a folder do not see each other, as with PostgreSQL's own postmaster.pid.
 */
async function lockSocket(folder: string, name: string): Promise<FolderLock | undefined> {
  const { dev, ino } = await stat(folder, { bigint: true });
  const server = createServer((connection) => connection.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (errorCode(error) === 'EADDRINUSE' ? resolve(undefined) : reject(error)));
    // `exclusive` because a cluster worker would otherwise share its parent's handle, and the lock with it.
    server.listen({ path: `\0botledger/${name}/${dev}/${ino}`, exclusive: true }, () =>
      resolve({ release: () => new Promise((done) => server.close(() => done())) }),
    );
  });
}

/** macOS and Windows: a file that only one process at a time may have open (`UV_FS_O_EXLOCK`, libuv's documentation of uv_fs_open). */
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
