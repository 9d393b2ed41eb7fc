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
import { isUsed, type Usage } from './server-users.ts';

export interface EmbeddedPostgresOptions {
  /** Created if it is missing. Holds the cluster (`postgres`), `postgres.json` (port and password, mode 0600) and `postgres.log`. */
  readonly dataDir: string;
  /** A `service` is the folder's only service, and replaces an orphaned server. A `command` joins any running server. */
  readonly role: 'service' | 'command';
  /** Whether to create a missing cluster. False: a folder without one is refused and left as it is. Default true. */
  readonly mayCreate?: boolean;
  readonly log: Log;
  /** False for tests: no fsync. Default true. */
  readonly durable?: boolean;
  /** Cancels the opening: it rejects with the signal's reason, and stops the server if it has started it. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedPostgres {
  /** Stays the same until `close`, across restarts of the server. The role may create databases but is no superuser. */
  readonly url: string;
  /**
   * From now on this OS process joins a server that another has restarted, and starts none itself. An OS process of low
   * priority calls it, since a server keeps the priority of the OS process that starts it.
   */
  startNoServer(): void;
  /** Leaves the server, and stops it if it has no other user. Close pools first: their running queries are cut off. */
  close(): Promise<void>;
}

/** The longest wait for the start lock: longer than the slowest stop of a server (80 s, `stopServer`). */
const START_LOCK_MS = 120_000;
/**
 * How long the first start is retried. After a kill -9 the server's backends may live for a while, and a new server
 * does not start before they end.
 */
const RETRY_FOR_MS = 30_000;
/** After a crash the first attempt comes at once, the second after 0.25 s, each further one after twice as long, up to 15 s. */
const LEAST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
/** After a server has run for this time, the attempts count from 0 again. */
const STEADY_MS = 60_000;

/**
 * Opens our PostgreSQL server in `dataDir`, and resolves when it answers. Until `close`, a server that dies is started
 * again; until then its clients get broken and refused connections.
 * @throws EmbeddedPostgresError
 */
export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { mayCreate = true } = options;
  const dataDir = await makeUsable(options.dataDir, mayCreate);
  const serviceLock = options.role === 'service' ? await tryLockFolder(dataDir, 'service') : undefined;
  if (options.role === 'service' && serviceLock === undefined) {
    const message = `another botledger service uses ${dataDir}: stop it, or set another DATA_DIR`;
    throw new EmbeddedPostgresError('folder-in-use', message);
  }
  try {
    const folder = join(dataDir, 'postgres');
    const binaries = await findBinaries();
    const findUser = () => findServerUser(dataDir, folder, binaries.postgres);
    const opened = await keepServer({ dataDir, folder, durable: options.durable ?? true, binaries, findUser }, options);
    return {
      ...opened,
      async close() {
        try {
          await opened.close();
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

async function makeUsable(dataDir: string, mayCreate: boolean): Promise<string> {
  try {
    if (!mayCreate) await refuseWithoutDatabase(dataDir);
    await makeFolder(resolve(dataDir));
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    // Tries to create a folder: a folder of the kernel, as in /proc, passes the check above and can hold none.
    if (!(await clusterExists(join(dataDir, 'postgres')))) await rmdir(await mkdtemp(join(dataDir, '.try-')));
    return await realpath(dataDir);
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EmbeddedPostgresError('cannot-run', `cannot use DATA_DIR ${resolve(dataDir)}: ${reason}`, { cause });
  }
}

/**
 * A service that is creating the cluster has stored the password before: its folder passes, and the caller then waits for
 * the start lock.
 * @throws EmbeddedPostgresError
 */
async function refuseWithoutDatabase(dataDir: string): Promise<void> {
  if (await clusterExists(join(dataDir, 'postgres'))) return;
  if ((await readAccess(dataDir)) === undefined) throw noDatabase(resolve(dataDir));
}

function noDatabase(dataDir: string): EmbeddedPostgresError {
  const message = `there is no Botledger database in DATA_DIR (${dataDir}): start the service once, or correct DATA_DIR`;
  return new EmbeddedPostgresError('no-database', message);
}

/** Like `mkdir -p`. Node's own `recursive` tries forever below a folder that refuses with ENOENT, as /proc does. */
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

/** Joins the server, or starts it, and does so again whenever the connection to it is lost, until `close`. */
async function keepServer(place: ClusterPlace, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { role, log, mayCreate = true } = options;
  const closing = new AbortController();
  const opening = options.signal ?? closing.signal;

  const enterFirst = async () => {
    const access = await prepareCluster(place, log, mayCreate);
    const { password } = access;
    const entered = await enterServer(place, {
      log,
      signal: opening,
      password,
      choosePort: () => freePort(access.port),
      replaceOrphan: role === 'service',
      retryForMs: RETRY_FOR_MS,
    });
    if (entered.port !== access.port) await writeAccess(place.dataDir, { port: entered.port, password });
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
      throw new EmbeddedPostgresError('did-not-start', 'a service is running and has to start it');
    },
    replaceOrphan: false,
    retryForMs: 0,
  };
  const closed = once(closing.signal, 'abort');
  const supervision = (async () => {
    const attempts = { count: 0 };
    for (let present: Usage | undefined = usage; present !== undefined; ) {
      const since = performance.now();
      await Promise.race([present.lost, closed]);
      if (closing.signal.aborted) return present.leave();
      if (performance.now() - since > STEADY_MS) attempts.count = 0;
      present = await enterAgain(place, again, port, attempts);
      if (present !== undefined) log.info('PostgreSQL is back');
    }
  })();

  return {
    url: embeddedUrl({ port, password }),
    startNoServer() {
      mayStart = false;
    },
    async close() {
      closing.abort();
      await supervision;
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
 * Joins or starts the server on the port that our clients use, and retries until it succeeds. Returns undefined if the signal
 * aborts. `attempts` counts the attempts since the server last ran for STEADY_MS. Each waits longer than the one before, also
 * if the server recovers by itself: otherwise a server that crashes again and again would fill the log without a pause.
 */
async function enterAgain(
  place: ClusterPlace,
  options: EnterOptions,
  port: number,
  attempts: { count: number },
): Promise<Usage | undefined> {
  const { log, signal } = options;
  log.warn(`lost PostgreSQL; joining or starting it in ${pauseBefore(attempts.count) / 1000} s`);
  for (;;) {
    try {
      await sleep(pauseBefore(attempts.count), undefined, { signal });
      attempts.count += 1;
      const entered = await withStartLock(place, () => enterServer(place, options), options.signal);
      if (entered.port === port) return entered.usage;
      await entered.usage.leave(); // a command started the server while our port was taken; it will stop it
      throw new Error(`PostgreSQL runs on port ${entered.port}, our clients use ${port}`);
    } catch (error) {
      if (signal.aborted) return undefined;
      const reason = error instanceof Error ? error.message : String(error);
      log.warn(`PostgreSQL is still down: ${reason}; retrying in ${pauseBefore(attempts.count) / 1000} s`);
    }
  }
}

function pauseBefore(attempts: number): number {
  return attempts === 0 ? 0 : Math.min(LEAST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
}

/**
 * Creates the cluster if it is missing and may be created, and returns how to reach it. Stores the password first, so that a start that is killed
 * in between resumes with the same one.
 */
async function prepareCluster(place: ClusterPlace, log: Log, mayCreate: boolean): Promise<Access> {
  const { dataDir, folder } = place;
  const stored = await readAccess(dataDir);
  if (await clusterExists(folder)) {
    if (stored !== undefined) return stored;
    const message = `${dataDir}/postgres.json is missing: it holds the password of the cluster in ${folder}`;
    throw new EmbeddedPostgresError('cannot-run', message);
  }
  if (!mayCreate) throw noDatabase(dataDir);
  const access = stored ?? { port: await freePort(undefined), password: newPassword() };
  if (stored === undefined) await writeAccess(dataDir, access);
  log.info(`creating a PostgreSQL cluster in ${folder}`);
  await createCluster(place, access.password);
  return access;
}

/** Runs `work` under the start lock: one OS process at a time creates, starts, joins, leaves or stops the server. */
async function withStartLock<T>({ dataDir }: ClusterPlace, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const lock = await lockFolder(dataDir, 'start', START_LOCK_MS, signal);
  if (lock === undefined) {
    const message = `another OS process has been starting or stopping PostgreSQL in ${dataDir} for ${START_LOCK_MS / 1000} s`;
    throw new EmbeddedPostgresError('did-not-start', message);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** The connection string of a running embedded server. */
export function embeddedUrl({ port, password }: Access): string {
  return `postgres://${SERVICE_ROLE}:${password}@127.0.0.1:${port}/${SERVICE_DATABASE}`;
}
