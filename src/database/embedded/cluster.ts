import { spawn } from 'node:child_process';
import { access, chown, mkdtemp, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError, errorCode } from './error.ts';
import type { Command, ServerUser } from './server-user.ts';

const PREFIX = 'postgres.new-';

/** What the service logs in as. Not a superuser, so a hole in our SQL does not reach the server's files. */
export const SERVICE_ROLE = 'botledger';
export const SERVICE_DATABASE = 'botledger';

export interface ClusterPlace {
  readonly dataDir: string;
  /** PGDATA, a folder in dataDir. */
  readonly folder: string;
  /** Whether it must survive a power cut. */
  readonly durable: boolean;
  readonly binaries: Binaries;
  readonly user: ServerUser;
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
 * Makes the cluster, with the service's role and database in it, beside its place and moves it there when it is complete: a start that
 * was killed half-way leaves nothing that counts. The caller holds the start lock. `password` is for both roles, `postgres` and the service's.
 */
export async function createCluster(place: ClusterPlace, password: string): Promise<void> {
  const { dataDir, folder, durable, binaries, user } = place;
  for (const name of await readdir(dataDir)) {
    // Retried because an orphaned initdb may still write there.
    if (name.startsWith(PREFIX)) await rm(join(dataDir, name), { recursive: true, maxRetries: 10 });
  }
  const workshop = await mkdtemp(join(dataDir, PREFIX));
  try {
    const passwordFile = join(workshop, 'password');
    await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
    if (user.account !== undefined) {
      await chown(passwordFile, user.account.uid, user.account.gid);
      await chown(workshop, user.account.uid, user.account.gid);
    }
    const made = join(workshop, 'data');
    await complete(user.command(binaries.initdb, initdbArguments(made, passwordFile, durable)), '');
    // Single-user mode: one statement a line, an error ends it, and no client can connect meanwhile.
    const statements = [
      `CREATE ROLE ${SERVICE_ROLE} LOGIN CREATEDB PASSWORD '${password}'`,
      `GRANT pg_monitor, pg_signal_backend TO ${SERVICE_ROLE}`,
      `CREATE DATABASE ${SERVICE_DATABASE} OWNER ${SERVICE_ROLE}`,
    ];
    const single = [
      '--single',
      '-D',
      made,
      '-c',
      'exit_on_error=on',
      '-c',
      'log_min_error_statement=panic',
      'postgres',
    ];
    await complete(user.command(binaries.postgres, single), `${statements.join('\n')}\n`);
    await rename(made, folder); // replaces an empty folder at most: foreign files in its place are never lost
    await syncFolder(dataDir);
  } finally {
    await rm(workshop, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The builtin C.UTF-8 compares by code points, the same on every machine, and still knows upper and lower case beyond ASCII. */
function initdbArguments(folder: string, passwordFile: string, durable: boolean): string[] {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const authentication = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const sync = durable ? [] : ['--no-sync'];
  return [`--pgdata=${folder}`, '--data-checksums', ...sync, ...locale, ...authentication];
}

async function complete({ file, args, options }: Command, input: string): Promise<void> {
  // Its output goes through pipes, so that an initdb whose parent was killed dies when it next says something.
  const child = spawn(file, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdout.resume();
  const exit = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  child.stdin.on('error', () => {}); // it ended before it read; its exit code tells
  child.stdin.end(input);
  const [code, said] = await Promise.all([exit, text(child.stderr)]);
  if (code === 0) return;
  throw new EmbeddedPostgresError(
    'cannot-run',
    `making the PostgreSQL cluster failed: ${said.trim().replaceAll('\n', ' | ')}`,
  );
}

/** The rename itself must survive a power cut, or acknowledged events would lie in a cluster that is not found. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
