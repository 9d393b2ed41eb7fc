import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { giveToOwnerOf } from './access-file.ts';
import type { ClusterPlace } from './cluster.ts';
import { EmbeddedPostgresError, errorCode } from './error.ts';

/** Where this folder reports what it does; a pino logger fits. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

export interface Server {
  readonly pid: number;
  readonly port: number;
  readonly status: 'starting' | 'ready' | 'stopping';
}

export interface StartOptions {
  readonly log: Log;
  /** Calls the start off: the server is stopped, and the error thrown. */
  readonly signal: AbortSignal;
}

const POLL_MS = 25;

/** The server that runs on the cluster, by any starter. A postmaster.pid alone proves nothing: it outlives a kill -9, and pids are reused. */
export async function findServer({ folder }: Pick<ClusterPlace, 'folder'>): Promise<Server | undefined> {
  const lines = await readPidFile(folder);
  if (lines === undefined) return undefined;
  // Lines, from PostgreSQL's miscadmin.h: 1 pid, 4 port, 8 status.
  const pid = Number(lines[0]);
  if (!(await isServer(pid, folder))) return undefined;
  const word = lines[7]?.trim();
  return { pid, port: Number(lines[3]), status: word === 'ready' || word === 'stopping' ? word : 'starting' };
}

/**
 * Starts the server in a session of its own and returns when it accepts connections, however long recovery takes. If it ends before that,
 * the error's message has its last words.
 */
export async function startServer(place: ClusterPlace, port: number, options: StartOptions): Promise<void> {
  const { log, signal } = options;
  await disownPidFile(place.folder);
  const logPath = join(place.dataDir, 'postgres.log');
  await rotate(logPath);
  // A file rather than a pipe: an orphaned server would die of the pipe when it next writes.
  const logFile = await open(logPath, 'a', 0o600);
  try {
    await giveToOwnerOf(place.dataDir, logPath);
    const { size } = await logFile.stat();
    const command = place.user.command(place.binaries.postgres, serverArguments(place, port));
    const stdio = ['ignore', logFile.fd, logFile.fd] as const;
    const child = spawn(command.file, command.args, { ...command.options, detached: true, stdio: [...stdio] });
    await once(child, 'spawn');
    child.unref();
    for (let waited = POLL_MS, calledOff = false; ; waited += POLL_MS) {
      const server = await findServer(place);
      if (server?.pid === child.pid && server?.status === 'ready') return;
      if (child.exitCode !== null || child.signalCode !== null) {
        const message = `PostgreSQL did not start: ${await lastWords(logPath, size)}`;
        throw new EmbeddedPostgresError('did-not-start', message);
      }
      if (waited % 10_000 === 0) log.info('PostgreSQL is still starting; after a crash it first replays its own log');
      if (signal.aborted && !calledOff) calledOff = child.kill('SIGINT');
      await sleep(POLL_MS);
    }
  } finally {
    await logFile.close();
  }
}

/**
 * Stops the server: fast, which ends sessions and writes a checkpoint, then harder; what is committed survives even the
 * last.
 * @param options.atOnce leaves the first step out, for a server that cannot write a checkpoint
 * @param options.signal ends the wait with the signal's reason: the server continues to stop
 */
export async function stopServer(
  place: Pick<ClusterPlace, 'folder' | 'binaries'>,
  { pid }: Server,
  { atOnce = false, signal }: { readonly atOnce?: boolean; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const harder = [['QUIT', 10_000] as const, ['KILL', 10_000] as const];
  const steps = atOnce ? harder : [['INT', 60_000] as const, ...harder];
  for (const [step, patienceMs] of steps) {
    await sendSignal(place, pid, step);
    for (const giveUpAt = Date.now() + patienceMs; Date.now() < giveUpAt; await sleep(POLL_MS)) {
      signal?.throwIfAborted();
      if (!(await isServer(pid, place.folder))) return;
    }
  }
  const message = `the PostgreSQL server (pid ${pid}) on ${place.folder} does not end, not even when killed`;
  throw new EmbeddedPostgresError('cannot-run', message);
}

async function sendSignal(
  { binaries }: Pick<ClusterPlace, 'binaries'>,
  pid: number,
  signal: 'INT' | 'QUIT' | 'KILL',
): Promise<void> {
  try {
    // Windows has no signals; pg_ctl speaks the server's substitute for them.
    if (process.platform === 'win32') await promisify(execFile)(binaries.pg_ctl, ['kill', signal, String(pid)]);
    else process.kill(pid, `SIG${signal}`);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error; // it has just ended
  }
}

async function readPidFile(folder: string): Promise<string[] | undefined> {
  try {
    return (await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Whether the process lives and is the server of this folder: its command line has `-D <folder>`. A zombie has an empty one. */
async function isServer(pid: number, folder: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === 'win32') return true;
  return ` ${await commandLine(pid)} `.includes(` -D ${folder} `);
}

/** The arguments, a space between each. */
async function commandLine(pid: number): Promise<string> {
  try {
    // Readable by every user, unlike /proc/<pid>/cwd, which a container's root may not read of others.
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    return (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout;
  } catch {
    return ''; // it has just ended
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/**
 * PostgreSQL refuses to start while the pid in postmaster.pid belongs to any process of its user, after a container's restart typically
 * to an unrelated one. Only the pid is replaced, by one that cannot exist: the shared memory named below it still guards
 * against backends that survived a killed server.
 */
async function disownPidFile(folder: string): Promise<void> {
  const lines = await readPidFile(folder);
  if (lines === undefined || !isAlive(Number(lines[0])) || (await isServer(Number(lines[0]), folder))) return;
  await writeFile(join(folder, 'postmaster.pid'), ['2147483647', ...lines.slice(1)].join('\n'));
}

async function rotate(path: string): Promise<void> {
  const size = await stat(path).then(
    (file) => file.size,
    () => 0,
  );
  if (size > 10_000_000) await rename(path, `${path}.1`);
}

async function lastWords(path: string, from: number): Promise<string> {
  const text = (await readFile(path)).subarray(from).toString('utf8').trim();
  // On a full disk it cannot say even that.
  if (text === '' && (await isFull(dirname(path)))) return `no space is left where ${dirname(path)} is`;
  if (text === '') return `it said nothing; see ${path}`;
  const lines = text.split('\n').slice(-3);
  return lines.map((line) => line.replace(/^[-0-9]{10} .*? \[\d+\] /, '')).join(' | '); // without time and pid
}

/** Whether less is free than a start needs: its lock file is written first, and then a page at least of its log. */
async function isFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < 16_384;
}

/**
 * How the server runs, for a machine of two cores with a few GB. Given on its command line, so that a new version of the
 * program brings its settings along to an old cluster.
 */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // a socket's path may have 107 bytes, and checkouts lie deeper
  // Three threads, each with its pools, a command or two, and what somebody looks at it with.
  max_connections: '200',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  random_page_cost: '1.1',
  jit: 'off', // compiles for longer than our queries run
  // With the default of 1 GB, steady inserting checkpoints every few seconds and writes each page whole again after every one.
  max_wal_size: '4GB',
  min_wal_size: '256MB',
  checkpoint_timeout: '15min',
  wal_compression: 'on',
  // A new segment would be 16 MB of zeros, written and flushed while a commit waits: up to 120 ms beside a rebuild.
  wal_init_zero: 'off',
  // An installation of this size reads little ahead, and subscribes to no other server: two processes fewer, and one.
  io_workers: '1',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and details would carry personal data into the file; the client gets them, and knows what to keep.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_line_prefix: '%m [%p] ',
} as const;

/** A killed service's running queries end soon, not when they are done. Windows refuses the setting. */
const whereSupported = process.platform === 'win32' ? {} : { client_connection_check_interval: '5s' };

/** For tests: a power cut may destroy the cluster, a kill of any process does not (with synchronous_commit off it would lose commits). */
const notDurable = { fsync: 'off', full_page_writes: 'off' } as const;

/** Arguments of `postgres`. */
function serverArguments({ folder, durable }: Pick<ClusterPlace, 'folder' | 'durable'>, port: number): string[] {
  const all = { port: String(port), ...settings, ...whereSupported, ...(durable ? {} : notDurable) };
  return ['-D', folder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
