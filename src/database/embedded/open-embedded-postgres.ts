import { once } from 'node:events';
import { access, constants, mkdir, mkdtemp, realpath, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Access, freePort, newPassword, readAccess, writeAccess } from './access-file.ts';
import { findBinaries } from './binaries.ts';
import { type ClusterPlace, clusterExists, createCluster, SERVICE_DATABASE, SERVICE_ROLE } from './cluster.ts';
import { ASK_MS, type EnterOptions, enterServer } from './enter-server.ts';
import { EmbeddedPostgresError, errorCode } from './error.ts';
import { lockFolder, tryLockFolder } from './folder-lock.ts';
import { findServer, type Log, stopServer } from './server.ts';
import { findServerUser } from './server-user.ts';
import { isUsed, type Usage } from './usage.ts';

export interface EmbeddedPostgresOptions {
  /** Made if it is missing. Holds the cluster (`postgres`), `postgres.json` (port and password, mode 0600) and `postgres.log`. */
  readonly dataDir: string;
  /** A `service` has the folder to itself and replaces an orphaned server; a `command` joins whatever runs. */
  readonly role: 'service' | 'command';
  readonly log: Log;
  /** False for tests: no fsync. Default true. */
  readonly durable?: boolean;
  /** Calls the opening off: it rejects with the signal's reason, and leaves no server that it started. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedPostgres {
  /** Stays the same until `close`, across restarts of the server. The role may create databases but is no superuser. */
  readonly url: string;
  /**
   * From here on this process joins a server that is back, and never starts one. A process of low priority calls it: a
   * server inherits the priority of the process that starts it, for its whole life.
   */
  startNoServer(): void;
  /** Leaves the server, and stops it if it has no other user. Close pools first: their running queries are cut off. */
  close(): Promise<void>;
}

/** Longer than the slowest orderly stop (80 s, `stopServer`). */
const START_LOCK_MS = 120_000;
/** After a kill -9 of the server its backends may live on for a while, and PostgreSQL does not start beside them. */
const RETRY_MS = 30_000;
/** The first try after a crash waits for nothing, the second 0.25 s, and each further one twice as long, up to the longest. */
const LEAST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
/** A server that ran for so long did not fail to start. */
const STEADY_MS = 60_000;

/**
 * A PostgreSQL server of our own in `dataDir`, answering when this returns. While it is open, a server that dies is started again; its
 * clients see broken and refused connections meanwhile.
 * @throws EmbeddedPostgresError
 */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = await makeUsable(options.dataDir);
  const serviceLock = options.role === 'service' ? await tryLockFolder(dataDir, 'service') : undefined;
  if (options.role === 'service' && serviceLock === undefined) {
    const message = `another botledger service uses ${dataDir}: stop it, or set another DATA_DIR`;
    throw new EmbeddedPostgresError('folder-in-use', message);
  }
  try {
    const folder = join(dataDir, 'postgres');
    const binaries = await findBinaries();
    const user = await findServerUser(dataDir, folder, binaries.postgres);
    const kept = await keepServer({ dataDir, folder, durable: options.durable ?? true, binaries, user }, options);
    return {
      ...kept,
      async close() {
        try {
          await kept.close();
        } finally {
          await serviceLock?.release();
        }
      },
    };
  } catch (error) {
    await serviceLock?.release();
    throw error;
  }
}

async function makeUsable(dataDir: string): Promise<string> {
  try {
    await makeFolder(resolve(dataDir));
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    // Folders of the kernel, as in /proc, may be entered and hold no other: only a try tells.
    if (!(await clusterExists(join(dataDir, 'postgres')))) await rmdir(await mkdtemp(join(dataDir, '.try-')));
    return await realpath(dataDir);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EmbeddedPostgresError('cannot-run', `cannot use DATA_DIR ${resolve(dataDir)}: ${reason}`, { cause });
  }
}

/** Like `mkdir -p`. Node's own `recursive` tries for ever below a folder that refuses with ENOENT, as /proc does. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    if (errorCode(error) !== 'ENOENT' || (await exists(dirname(path)))) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Joins the server, and stands by it until `close`. */
async function keepServer(place: ClusterPlace, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { role, log } = options;
  const closing = new AbortController();
  const opening = options.signal ?? closing.signal;

  const enterFirst = async () => {
    const known = await prepareCluster(place, log);
    const { password } = known;
    const entered = await enterServer(place, {
      log,
      signal: opening,
      password,
      choosePort: () => freePort(known.port),
      replaceOrphan: role === 'service',
      patienceMs: RETRY_MS,
    });
    if (entered.port !== known.port) await writeAccess(place.dataDir, { port: entered.port, password });
    return { ...entered, password };
  };
  const { usage, password, port } = await withStartLock(place, enterFirst, opening);

  let mayStart = true;
  const again: EnterOptions = {
    log,
    signal: closing.signal,
    password,
    async choosePort() {
      if (mayStart) return port;
      throw new EmbeddedPostgresError('did-not-start', 'the service that runs beside this command has to start it');
    },
    replaceOrphan: false,
    patienceMs: 0,
  };
  const closed = once(closing.signal, 'abort');
  const standingBy = (async () => {
    const tries = { count: 0 };
    for (let present: Usage | undefined = usage; present !== undefined; ) {
      const since = Date.now();
      await Promise.race([present.lost, closed]);
      if (closing.signal.aborted) return present.leave();
      if (Date.now() - since > STEADY_MS) tries.count = 0;
      present = await enterAgain(place, again, port, tries);
      if (present !== undefined) log.info('PostgreSQL is back');
    }
  })();

  return {
    url: `postgres://${SERVICE_ROLE}:${password}@127.0.0.1:${port}/${SERVICE_DATABASE}`,
    startNoServer() {
      mayStart = false;
    },
    async close() {
      closing.abort();
      await standingBy;
      await withStartLock(place, async () => {
        const server = await findServer(place);
        if (server === undefined) return;
        const used = await isUsed({ port: server.port, password }, ASK_MS);
        if (used === false || (used === 'unknown' && role === 'service')) await stopServer(place, server);
      });
    },
  };
}

/**
 * Joins or starts the server, on the port that our clients know, until that succeeds; undefined when it was called off.
 * `tries` counts those since the server last ran for STEADY_MS. Each waits longer, also where the server recovers by
 * itself: one that crashes again and again would otherwise write its lines without a pause.
 */
async function enterAgain(
  place: ClusterPlace,
  options: EnterOptions,
  port: number,
  tries: { count: number },
): Promise<Usage | undefined> {
  const { log, signal } = options;
  log.warn(`lost PostgreSQL; joining or starting it in ${pauseBefore(tries.count) / 1000} s`);
  for (;;) {
    try {
      await sleep(pauseBefore(tries.count), undefined, { signal });
      tries.count += 1;
      const entered = await withStartLock(place, () => enterServer(place, options), options.signal);
      if (entered.port === port) return entered.usage;
      await entered.usage.leave(); // a command started it while our port was taken, and will stop it
      throw new Error(`PostgreSQL runs on port ${entered.port}, our clients know ${port}`);
    } catch (error) {
      if (signal.aborted) return undefined;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(`PostgreSQL is still down: ${reason}; retrying in ${pauseBefore(tries.count) / 1000} s`);
    }
  }
}

function pauseBefore(tries: number): number {
  return tries === 0 ? 0 : Math.min(LEAST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
}

/** Stores the password before the cluster that has it. A start that was killed between the two resumes with the same one. */
async function prepareCluster(place: ClusterPlace, log: Log): Promise<Access> {
  const { dataDir, folder } = place;
  const known = await readAccess(dataDir);
  if (await clusterExists(folder)) {
    if (known !== undefined) return known;
    const message = `${dataDir}/postgres.json is missing: it holds the password of the cluster in ${folder}`;
    throw new EmbeddedPostgresError('cannot-run', message);
  }
  const fresh = known ?? { port: await freePort(undefined), password: newPassword() };
  if (known === undefined) await writeAccess(dataDir, fresh);
  log.info(`creating a PostgreSQL cluster in ${folder}`);
  await createCluster(place, fresh.password);
  return fresh;
}

/** One OS process at a time creates, starts, joins, leaves or stops the server. So one that finds it unused stops it without a race. */
async function withStartLock<T>({ dataDir }: ClusterPlace, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const lock = await lockFolder(dataDir, 'start', START_LOCK_MS, signal);
  if (lock === undefined) {
    const message = `another process has been starting or stopping PostgreSQL in ${dataDir} for ${START_LOCK_MS / 1000} s`;
    throw new EmbeddedPostgresError('did-not-start', message);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}
