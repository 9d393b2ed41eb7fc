import { spawn } from 'node:child_process';
import { access, chown, mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError, errorCode } from './error.ts';
import type { Command, ServerUser } from './server-user.ts';

const PREFIX = 'postgres.new-';

/** The role that the service logs in as. It is no superuser, so that a hole in our SQL does not reach the server's files. */
export const SERVICE_ROLE = 'botledger';
export const SERVICE_DATABASE = 'botledger';

export interface ClusterPlace {
  readonly dataDir: string;
  /** PGDATA, a folder in dataDir. */
  readonly folder: string;
  /** Whether the cluster must survive a power cut. */
  readonly durable: boolean;
  readonly binaries: Binaries;
  /** Found only to start a program: who joins a server that runs needs no user. */
  findUser(): Promise<ServerUser>;
}

export async function clusterExists(folder: string): Promise<boolean> {
  try {
    await access(join(folder, 'PG_VERSION'));
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Creates the cluster with the service's role and database. Creates it in another folder and renames that when it is complete,
 * so that a start that is killed half-way leaves no incomplete cluster. The caller holds the start lock. `password` is for
 * both roles, `postgres` and the service's.
 */
export async function createCluster(place: ClusterPlace, password: string): Promise<void> {
  const { dataDir, folder, durable, binaries } = place;
  const user = await place.findUser();
  for (const name of await readdir(dataDir)) {
    // Retries, since an orphaned initdb may still write there.
    if (name.startsWith(PREFIX)) await rm(join(dataDir, name), { recursive: true, maxRetries: 10 });
  }
  const workFolder = await mkdtemp(join(dataDir, PREFIX));
  try {
    const passwordFile = join(workFolder, 'password');
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (user.account !== undefined) {
      await chown(passwordFile, user.account.uid, user.account.gid);
      await chown(workFolder, user.account.uid, user.account.gid);
    }
    const newCluster = join(workFolder, 'data');
    await run(user.command(binaries.initdb, initdbArguments(newCluster, passwordFile, durable)), '');
    // Single-user mode: one statement a line, the first error ends the server, and no client can connect to it.
    const statements = [
      `CREATE ROLE ${SERVICE_ROLE} LOGIN CREATEDB PASSWORD '${password}'`,
      `GRANT pg_monitor, pg_signal_backend TO ${SERVICE_ROLE}`,
      `CREATE DATABASE ${SERVICE_DATABASE} OWNER ${SERVICE_ROLE}`,
    ];
    const single = [
      '--single',
      '-D',
      newCluster,
      '-c',
      'exit_on_error=on',
      '-c',
      'log_min_error_statement=panic',
      'postgres',
    ];
    await run(user.command(binaries.postgres, single), `${statements.join('\n')}\n`);
    await rename(newCluster, folder); // replaces an empty folder at most, so that no foreign files are lost
    await syncFolder(dataDir);
  } finally {
    await rm(workFolder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The builtin locale C.UTF-8 compares by code points, alike on every machine, and knows upper and lower case beyond ASCII. */
function initdbArguments(folder: string, passwordFile: string, durable: boolean): string[] {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const authentication = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const sync = durable ? [] : ['--no-sync'];
  return [`--pgdata=${folder}`, '--data-checksums', ...sync, ...locale, ...authentication];
}

async function run({ file, args, options }: Command, input: string): Promise<void> {
  // The output goes through pipes, so that an initdb whose parent was killed dies at its next output.
  const child = spawn(file, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdout.resume();
  const exit = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  child.stdin.on('error', () => {}); // the program ended before it read; its exit code says why
  child.stdin.end(input);
  const [code, output] = await Promise.all([exit, text(child.stderr)]);
  if (code === 0) return;
  throw new EmbeddedPostgresError(
    'cannot-run',
    `failed to create the PostgreSQL cluster: ${output.trim().replaceAll('\n', ' | ')}`,
  );
}

/** Flushes the folder, so that the rename survives a power cut. Otherwise acknowledged events would be in a cluster without a name. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
