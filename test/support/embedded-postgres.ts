import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { findBinaries } from '../../src/database/embedded/binaries.ts';
import { findServer, stopServer } from '../../src/database/embedded/server.ts';

/** A message of embedded-postgres-process.ts. */
interface Message {
  readonly url?: string;
  readonly log?: string;
  readonly drained?: number;
  readonly closed?: true;
  readonly refused?: string;
  readonly message?: string;
}

export interface PostgresProcess {
  readonly pid: number;
  /** The value of the key in the first message that has it (or this value). Rejects if the process ends without it. */
  said<K extends keyof Message>(key: K, value?: Message[K]): Promise<NonNullable<Message[K]>>;
  /** Signals only the process. Resolves with the exit code, or with null when a signal killed the process. */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Signals the whole process group. */
  killGroup(signal: NodeJS.Signals): Promise<number | null>;
  /** Resolves with the exit code when the process has ended. */
  readonly ended: Promise<number | null>;
  isRunning(): boolean;
}

export interface StartOptions {
  /** The checkout to run from; default: this one. */
  readonly root?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly env?: NodeJS.ProcessEnv;
}

/** Starts the process as the leader of a new process group, as a shell does. */
export function startPostgresProcess(
  dataDir: string,
  role: 'service' | 'command',
  { root = process.cwd(), ...options }: StartOptions = {},
): PostgresProcess {
  const script = join(root, 'test/support/embedded-postgres-process.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, dataDir, role], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  return follow(child);
}

function follow(child: ChildProcess): PostgresProcess {
  const { pid, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) throw new Error('the process did not start');
  const messages: Message[] = [];
  let errors = '';
  let running = true;
  const changes = new EventEmitter().setMaxListeners(0);
  stderr.on('data', (text: Buffer) => {
    errors += text.toString();
  });
  createInterface({ input: stdout }).on('line', (line) => {
    messages.push(JSON.parse(line));
    changes.emit('change');
  });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      running = false;
      changes.emit('change');
      resolve(code);
    });
  });
  const send = (target: number, signal: NodeJS.Signals): Promise<number | null> => {
    process.kill(target, signal);
    return ended;
  };
  return {
    pid,
    ended,
    isRunning: () => running,
    kill: (signal) => send(pid, signal),
    killGroup: (signal) => send(-pid, signal),
    async said(key, value) {
      for (;;) {
        const said = messages.flatMap((message) => message[key] ?? []);
        const found = said.find((text) => value === undefined || text === value);
        if (found !== undefined) return found;
        if (!running) throw new Error(`the process ended without "${key}": ${JSON.stringify(messages)} ${errors}`);
        await once(changes, 'change');
      }
    },
  };
}

/** A fresh folder that other users may enter. `remove` first stops a server that a test left there. */
export async function temporaryDataDir(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'botledger-test-')));
  await chmod(path, 0o755);
  return {
    path,
    async remove() {
      await stopServerOf(path);
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The server that runs on the data folder, if any. */
export function serverOf(dataDir: string) {
  return findServer({ folder: join(dataDir, 'postgres') });
}

/** Stops the server that a test left on the data folder, if any. */
export async function stopServerOf(dataDir: string): Promise<void> {
  const server = await serverOf(dataDir);
  if (server === undefined) return;
  await stopServer({ folder: join(dataDir, 'postgres'), binaries: await findBinaries() }, server);
}

export async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // tests kill the server, and the query in flight rejects
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Repeats the work until it succeeds. After `timeoutMs` it throws the last error. */
export async function eventually<T>(work: () => Promise<T>, timeoutMs = 120_000): Promise<T> {
  const giveUpAt = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
