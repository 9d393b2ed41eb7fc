import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ClusterPlace } from './cluster.ts';
import { EmbeddedPostgresError, errorCode } from './error.ts';
import { findServer, type Log, type Server, startServer, stopServer } from './server.ts';
import { isRefusal, isUsed, joinServer, type Usage } from './server-users.ts';

export interface EnterOptions {
  readonly password: string;
  /** Called before each start of the server. */
  choosePort(): Promise<number>;
  /** Whether to stop first a running server that has no users: the service that started it was killed. */
  readonly replaceOrphan: boolean;
  /** For how long failed attempts are repeated, in milliseconds. */
  readonly retryForMs: number;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface Entered {
  readonly usage: Usage;
  readonly port: number;
}

/** SQLSTATE of a server that starts, stops or recovers from a crash. */
const CANNOT_CONNECT_NOW = '57P03';
/**
 * How long to ask a server whether it has users. A server that does not answer in this time, after an OS process that
 * used it was killed, counts as orphaned.
 */
export const ASK_MS = 5_000;
/**
 * A server that refuses all connections and has no startup process for this time is stuck, for example after a full
 * disk. Between a crash and the startup process a server waits for its backends. It kills them after 5 s.
 */
const STUCK_MS = 10_000;
const POLL_MS = 250;

/** Finds or starts the server, and joins it. The caller holds the start lock. */
export async function enterServer(place: ClusterPlace, options: EnterOptions): Promise<Entered> {
  const { password, log, signal, retryForMs } = options;
  let giveUpAt: number | undefined;
  let replaceOrphan = options.replaceOrphan;
  for (let lastMessage = ''; ; ) {
    signal.throwIfAborted();
    try {
      const server = await findServer(place);
      if (server === undefined) {
        await startServer(place, await options.choosePort(), options);
        replaceOrphan = false;
      } else if (server.status === 'stopping' || (replaceOrphan && (await isOrphan(server, password)))) {
        log.warn(`stopping the PostgreSQL server (pid ${server.pid}) that an earlier run left behind`);
        await stopServer(place, server, { signal });
      } else {
        const usage = await joinRunning(place, server, options);
        if (usage !== undefined) return { usage, port: server.port };
      }
    } catch (error) {
      signal.throwIfAborted();
      if (isRefusal(error)) {
        const message = `the PostgreSQL server on ${place.folder} refuses the password in ${place.dataDir}/postgres.json`;
        throw new EmbeddedPostgresError('cannot-run', message, { cause: error });
      }
      giveUpAt ??= performance.now() + retryForMs;
      if (performance.now() >= giveUpAt) throw error;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== lastMessage) log.warn(`${message}; trying again for up to ${retryForMs / 1000} s`);
      lastMessage = message;
      await sleep(POLL_MS, undefined, { signal });
    }
  }
}

/**
 * Joins the server once it has replayed its own log, however long that takes. Returns undefined if the server ended, or if it
 * was stuck and is now stopped.
 */
async function joinRunning(place: ClusterPlace, server: Server, options: EnterOptions): Promise<Usage | undefined> {
  const { password, log, signal } = options;
  let startingAt = performance.now();
  for (let waited = POLL_MS; ; waited += POLL_MS) {
    try {
      return await joinServer({ port: server.port, password });
    } catch (error) {
      if (errorCode(error) !== CANNOT_CONNECT_NOW) throw error;
    }
    if ((await findServer(place))?.pid !== server.pid) return undefined;
    if (await hasStartupProcess(server.pid)) startingAt = performance.now();
    if (performance.now() - startingAt > STUCK_MS) {
      log.warn(`PostgreSQL (pid ${server.pid}) refuses connections and has no startup process; stopping it`);
      await stopServer(place, server, { atOnce: true, signal });
      return undefined;
    }
    if (waited % 10_000 === 0) log.info('PostgreSQL still replays its own log after a crash');
    await sleep(POLL_MS, undefined, { signal });
  }
}

async function isOrphan({ port }: Server, password: string): Promise<boolean> {
  return (await isUsed({ port, password }, ASK_MS)) !== true;
}

/**
 * Whether the server has a startup process. It replays the server's log after a crash. A server that refuses
 * connections and has no startup process will refuse them forever. Windows shows no titles of processes, so there it
 * returns true.
 */
async function hasStartupProcess(serverPid: number): Promise<boolean> {
  if (process.platform === 'win32') return true;
  const titles = process.platform === 'linux' ? await titlesInProc(serverPid) : await titlesByPs(serverPid);
  return titles.some((title) => /^postgres: (?:.*: )?startup/.test(title));
}

/** Reads the titles in /proc, since small container images have no `ps`. */
async function titlesInProc(parent: number): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const titles = await Promise.all(
    pids.map(async (pid) => {
      try {
        // proc(5): `pid (name) state ppid …`, and the name may hold parentheses.
        const status = await readFile(`/proc/${pid}/stat`, 'utf8');
        const [, ppid] = status.slice(status.lastIndexOf(')') + 2).split(' ');
        return Number(ppid) === parent ? [await readFile(`/proc/${pid}/cmdline`, 'utf8')] : [];
      } catch {
        return []; // the process has just ended
      }
    }),
  );
  return titles.flat();
}

async function titlesByPs(parent: number): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'ppid=,command=']);
  return stdout.split('\n').flatMap((line) => {
    const [, ppid, title] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
    return Number(ppid) === parent && title !== undefined ? [title] : [];
  });
}
