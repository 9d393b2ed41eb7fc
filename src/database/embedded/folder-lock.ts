import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError, errorCode } from './error.ts';

export interface FolderLock {
  release(): Promise<void>;
}

/**
 * Takes the lock `name` of a folder for this OS process; undefined if another OS process has it. The operating system frees the
 * lock when the OS process ends, however it ends. A file with a pid would outlive a kill -9, and pids are reused.
 */
export async function tryLockFolder(folder: string, name: string): Promise<FolderLock | undefined> {
  return process.platform === 'linux' ? lockByFlock(folder, name) : lockFile(folder, name);
}

/** Like `tryLockFolder`, but waits until the lock is free; undefined if it is not free within `timeoutMs`. */
export async function lockFolder(
  folder: string,
  name: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<FolderLock | undefined> {
  const giveUpAt = performance.now() + timeoutMs;
  for (;;) {
    const lock = await tryLockFolder(folder, name);
    if (lock !== undefined || performance.now() > giveUpAt) return lock;
    await sleep(50, undefined, { signal });
  }
}

/** Makes the file for the folder's owner, who may start the service after root did. Follows no link that the owner left there. */
async function makeLockFile(folder: string, path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    const { uid, gid } = await stat(folder);
    if (process.getuid?.() === 0) await file.chown(uid, gid);
  } finally {
    await file.close();
  }
}

/** Prints once it runs, and ends with its input, so with this OS process. A stop of the whole service leaves it to the end. */
const HOLD = 'trap "" HUP INT TERM; echo locked; exec cat > /dev/null';

/**
 * Locks by `flock` of util-linux or BusyBox, since Node has no file lock on Linux. Its child holds the lock, and ends when this
 * OS process ends, whose pipe it reads. Only an account that may open the file can hold the lock. An abstract socket instead
 * would need no child, but any local account may bind its name. Containers that share the folder see each other's lock.
 * @throws EmbeddedPostgresError there is no `flock`, or it cannot open the file
 */
async function lockByFlock(folder: string, name: string): Promise<FolderLock | undefined> {
  const path = join(folder, `${name}.lock`);
  await makeLockFile(folder, path);
  // In a separate session, a Ctrl-C in the terminal does not free the lock before the service has drained.
  const child = spawn('flock', ['-n', path, 'sh', '-c', HOLD], { stdio: 'pipe', detached: true });
  const errors: Buffer[] = [];
  child.stderr.on('data', (part: Buffer) => errors.push(part));
  child.stdin.on('error', () => {}); // the child has ended; `close` reports that
  const closed = new Promise<Error | null>((done) => {
    child.once('error', done);
    child.once('close', () => done(null));
  });
  const locked = await Promise.race([once(child.stdout, 'data').then(() => 'locked' as const), closed]);
  if (locked === 'locked') {
    child.unref();
    for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as Socket).unref();
    return {
      async release() {
        child.ref();
        child.stdin.end();
        await closed;
      },
    };
  }
  const said = locked?.message ?? Buffer.concat(errors).toString().trim();
  if (said === '') return undefined;
  throw new EmbeddedPostgresError('cannot-run', `cannot lock ${folder} by flock (util-linux): ${said}`, {
    cause: locked,
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
