import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rename, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { giveToOwnerOf } from './access-file.ts';
import type { ClusterPlace } from './cluster.ts';
import { EmbeddedPostgresError, errorCode } from './error.ts';

/** The log of the embedded server's start, stop and supervision. A pino logger fits. */
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
  /** Cancels the start: the server is stopped, and the call rejects. */
  readonly signal: AbortSignal;
}

const POLL_MS = 25;

/**
 * Finds the server that runs on the cluster, whichever OS process has started it. A postmaster.pid by itself proves
 * nothing: it outlives a kill -9, and pids are reused.
 */
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
 * Starts the server in a separate session. Resolves when it accepts connections, however long its recovery takes. If
 * the server ends first, the error's message has the last lines of its log.
 */
export async function startServer(place: ClusterPlace, port: number, options: StartOptions): Promise<void> {
  const { log, signal } = options;
  await disownPidFile(place.folder);
  const logPath = join(place.dataDir, 'postgres.log');
  await rotate(logPath);
  // A file rather than a pipe: with a pipe an orphaned server would die at its next output.
  const logFile = await open(logPath, 'a', 0o600);
  try {
    await giveToOwnerOf(place.dataDir, logPath);
    const { size } = await logFile.stat();
    const user = await place.findUser();
    const command = user.command(place.binaries.postgres, serverArguments(place, port));
    const stdio = ['ignore', logFile.fd, logFile.fd] as const;
    const child = spawn(command.file, command.args, { ...command.options, detached: true, stdio: [...stdio] });
    await once(child, 'spawn');
    child.unref();
    for (let waited = POLL_MS, cancelled = false; ; waited += POLL_MS) {
      const server = await findServer(place);
      if (server?.pid === child.pid && server?.status === 'ready') return;
      if (child.exitCode !== null || child.signalCode !== null) {
        const message = `PostgreSQL did not start: ${await lastLines(logPath, size)}`;
        throw new EmbeddedPostgresError('did-not-start', message);
      }
      if (waited % 10_000 === 0) log.info('PostgreSQL is still starting; after a crash it first replays its own log');
      if (signal.aborted && !cancelled) cancelled = child.kill('SIGINT');
      await sleep(POLL_MS);
    }
  } finally {
    await logFile.close();
  }
}

/**
 * Stops the server: first by a fast shutdown (it ends sessions and writes a checkpoint), then by an immediate one, then
 * by a kill. Committed data survive each of them.
 * @param options.atOnce leaves out the fast shutdown, for a server that cannot write a checkpoint
 * @param options.signal ends the wait with the signal's reason: the server continues to stop
 */
export async function stopServer(
  place: Pick<ClusterPlace, 'folder' | 'binaries'>,
  { pid }: Server,
  { atOnce = false, signal }: { readonly atOnce?: boolean; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const harder = [['QUIT', 10_000] as const, ['KILL', 10_000] as const];
  const steps = atOnce ? harder : [['INT', 60_000] as const, ...harder];
  for (const [step, waitMs] of steps) {
    await sendSignal(place, pid, step);
    for (const giveUpAt = performance.now() + waitMs; performance.now() < giveUpAt; await sleep(POLL_MS)) {
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
    // Windows has no signals. pg_ctl sends the server's substitute for them.
    if (process.platform === 'win32') await promisify(execFile)(binaries.pg_ctl, ['kill', signal, String(pid)]);
    else process.kill(pid, `SIG${signal}`);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error; // the server has just ended
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

/** Whether the OS process lives and is this folder's server: its command line has `-D <folder>`. A zombie's is empty. */
async function isServer(pid: number, folder: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === 'win32') return true;
  return ` ${await commandLine(pid)} `.includes(` -D ${folder} `);
}

/** The OS process's arguments, separated by spaces. */
async function commandLine(pid: number): Promise<string> {
  try {
    // Every user may read it. A container's root may not read /proc/<pid>/cwd of other users.
    if (process.platform === 'linux') return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    return (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout;
  } catch {
    return ''; // the server has just ended
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
 * Replaces the pid in postmaster.pid if it belongs to an unrelated OS process, as often after a container's restart: PostgreSQL
 * refuses to start while that pid is one of its user's. Only the pid is replaced, by one that cannot exist. The shared memory
 * named below it still protects against backends that survived a killed server.
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

async function lastLines(path: string, from: number): Promise<string> {
  const text = (await readFile(path)).subarray(from).toString('utf8').trim();
  // On a full disk the server cannot write its error.
  if (text === '' && (await isFull(dirname(path)))) return `no space is left where ${dirname(path)} is`;
  if (text === '') return `it wrote no error; see ${path}`;
  const lines = text.split('\n').slice(-3);
  return lines.map((line) => line.replace(/^[-0-9]{10} .*? \[\d+\] /, '')).join(' | '); // without time and pid
}

/** Whether less space is free than a start needs: the server writes its lock file first, then at least a page of its log. */
async function isFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < 16_384;
}

/**
 * The server's settings, for a machine of two cores with a few GB of memory. Its command line carries them, so that a new version
 * of Botledger applies its own settings to an old cluster.
 */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // a socket's path has 107 bytes at most, and a checkout may lie deeper
  // Three threads with their pools, a command or two, and an operator's psql.
  max_connections: '200',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  random_page_cost: '1.1',
  jit: 'off', // compiling takes longer than our queries
  // With the default of 1 GB, steady inserts cause a checkpoint every few seconds, and a whole-page write of each page after it.
  max_wal_size: '4GB',
  min_wal_size: '256MB',
  checkpoint_timeout: '15min',
  wal_compression: 'on',
  // A new segment would be 16 MB of zeros, written and flushed while a commit waits: up to 120 ms during a rebuild.
  wal_init_zero: 'off',
  // One I/O worker is enough for an installation of this size (two OS processes fewer), and it subscribes to no server (one fewer).
  io_workers: '1',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statements and details would bring personal data into the log file. The client gets them, and knows which it may log.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_line_prefix: '%m [%p] ',
} as const;

/** Ends a killed service's running queries within 5 s. Windows does not support the setting. */
const whereSupported = process.platform === 'win32' ? {} : { client_connection_check_interval: '5s' };

/**
 * Settings for tests. A power cut may destroy the cluster; a kill of any OS process does not. synchronous_commit stays on, since
 * without it a kill would lose commits.
 */
const notDurable = { fsync: 'off', full_page_writes: 'off' } as const;

/** The command-line arguments of `postgres`. */
function serverArguments({ folder, durable }: Pick<ClusterPlace, 'folder' | 'durable'>, port: number): string[] {
  const all = { port: String(port), ...settings, ...whereSupported, ...(durable ? {} : notDurable) };
  return ['-D', folder, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
