import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname, parse } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError, errorCode } from './error.ts';

const run = promisify(execFile);

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Arguments for `spawn`, so that a program of PostgreSQL runs as the server's user. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv } & Partial<Account>;
}

export interface ServerUser {
  /** The account that must own the cluster; undefined: the user of this OS process. */
  readonly account: Account | undefined;
  command(file: string, args: readonly string[]): Command;
}

/**
 * Finds the user that the server runs as. PostgreSQL refuses to run as root. So if we are root, it runs as the owner of the
 * existing cluster, else as `postgres`, else as `nobody` (initdb needs an account with a name). That user may be unable to
 * enter the folders above the checkout or above DATA_DIR, such as /root. We do not change the modes of those folders; the
 * server gets the one capability that lets it pass.
 */
export async function findServerUser(dataDir: string, cluster: string, postgres: string): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return { account: undefined, command: plainCommand };

  const account = await findAccount(cluster);
  if (account === undefined) {
    const message =
      'PostgreSQL does not run as root, and there is no account postgres or nobody: start as an ordinary user';
    throw new EmbeddedPostgresError('cannot-run', message);
  }
  const asAccount: ServerUser['command'] = (file, args) => {
    const command = plainCommand(file, args);
    return { ...command, options: { ...command.options, ...account } };
  };
  const candidates = [asAccount, withCapability(account, 'dac_read_search'), withCapability(account, 'dac_override')];
  let setprivFound = true;
  for (const command of candidates) {
    try {
      // Tries access: the mode is not the only rule. Access lists, the umask at install and missing capabilities count
      // too.
      const probe = command('/bin/sh', ['-c', 'cd -- "$1" && exec "$0" --version', postgres, dataDir]);
      await run(probe.file, probe.args, probe.options);
      return { account, command };
    } catch (error) {
      if (command !== asAccount && errorCode(error) === 'ENOENT') setprivFound = false;
    }
  }
  const remedy = setprivFound ? 'start as an ordinary user' : 'install setpriv (util-linux), start as an ordinary user';
  const message =
    `PostgreSQL runs as user ${account.uid} here, who cannot enter ${dataDir} or ${dirname(postgres)}: ` +
    `${remedy}, or keep both in folders that everyone may enter`;
  throw new EmbeddedPostgresError('cannot-run', message);
}

async function findAccount(cluster: string): Promise<Account | undefined> {
  const owner = await stat(cluster).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') throw error; // this machine has no program `id`
    }
  }
  return undefined;
}

/** Runs without our environment: PostgreSQL would obey PGPORT and others, and the server must not get our secrets. */
function plainCommand(file: string, args: readonly string[]): Command {
  const { PATH, SystemRoot, TEMP } = process.env;
  const env = { PATH, LC_ALL: 'C', TZ: 'UTC', ...(process.platform === 'win32' ? { SystemRoot, TEMP } : {}) };
  return { file, args, options: { cwd: parse(file).root, env } };
}

/**
 * Runs a program as the account with one capability. The capability is ambient, so that it survives the exec by another user.
 * Unlike a file capability it leaves $ORIGIN in the library path working (capabilities(7)). `no_setuid_fixup` is for access(2),
 * by which PostgreSQL finds its own files: without that bit access(2) decides by the real user and ignores capabilities.
 * Containers often grant dac_override but not dac_read_search.
 */
function withCapability({ uid, gid }: Account, capability: string): ServerUser['command'] {
  return (file, args) => {
    const identity = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
    const grant = [
      '--securebits',
      '+no_setuid_fixup',
      '--inh-caps',
      `+${capability}`,
      '--ambient-caps',
      `+${capability}`,
    ];
    return { ...plainCommand(file, args), file: 'setpriv', args: [...identity, ...grant, file, ...args] };
  };
}
