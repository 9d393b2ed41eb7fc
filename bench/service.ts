import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readModels } from '../test/support/read-models.ts';
import { ask } from './ask.ts';

/** The users of the load's events; as many as the load may use at once. */
export const BENCH_USERS: readonly number[] = Array.from({ length: 1000 }, (_, i) => 4242 + i);

export interface BenchService {
  readonly address: string;
  readonly apiKey: string;
  /** The URL of the embedded database. */
  readonly databaseUrl: string;
  readonly process: ChildProcess;
  /** The environment with which a command joins the service. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '..');

/** Starts the built service as `npm start` does: an OS process with its embedded database in a new folder. */
export async function startBenchService(env: Record<string, string> = {}): Promise<BenchService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'botledger-bench-'));
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const child = spawn(process.execPath, scripts.start.replace(/^exec node /, '').split(' '), {
    cwd: ROOT,
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: '0',
      RATE_LIMIT_PER_KEY: '0',
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // A benchmark that fails leaves no service behind.
  process.once('exit', () => child.kill('SIGTERM'));
  const address = await listening(child);
  await answers(`${address}/ready`);
  const apiKey = (await readFile(join(dataDir, 'demo.key'), 'utf8')).trim();
  // Makes the users known: an event of an unknown user would be a bot error. The benchmarks do not measure those.
  await ask(
    { address, apiKey },
    '/v1/send-batch-update',
    BENCH_USERS.map((id) => meeting(id)),
  );
  const { port, password } = JSON.parse(await readFile(join(dataDir, 'postgres.json'), 'utf8'));
  return {
    address,
    apiKey,
    databaseUrl: `postgres://botledger:${password}@127.0.0.1:${port}/botledger`,
    process: child,
    env: { DATA_DIR: dataDir, ...env },
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The address in the log line `serving`. */
export function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const line = text.split('\n').find((each) => each.includes('"msg":"serving"'));
      if (line !== undefined) resolve(JSON.parse(line).address);
    });
  });
}

/** An update that makes a user known. `more`: fields of its message. */
export function meeting(id: number, more: object = {}): object {
  const from = { id, is_bot: false, first_name: 'Ada' };
  const date = Math.floor(Date.now() / 1000);
  const message = { message_id: 1, date, chat: { id, type: 'private' }, from, text: 'hello', ...more };
  return { update: { update_id: id, message } };
}

/** The same for a user that comes by a code. */
export function visit(id: number, code: string, more: object = {}): object {
  return meeting(id, { text: `/start ${code}`, entities: [{ type: 'bot_command', offset: 0, length: 6 }], ...more });
}

/** Resolves when the read models have applied the whole log. */
export async function projected({ address }: BenchService): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${address}/metrics`)).text();
    const lags = [...metrics.matchAll(/^botledger_projection_lag_events\{.*\} (\d+)/gm)].map(([, lag]) => Number(lag));
    if (lags.length >= readModels.length && lags.every((lag) => lag === 0)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 2400; tries++) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not answer`);
}

/** Prints the memory of each of the service's threads, in MB. */
export async function printThreadMemory({ address }: Pick<BenchService, 'address'>): Promise<void> {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  for (const [, thread, kind, bytes] of metrics.matchAll(
    /^botledger_thread_memory_bytes\{thread="([^"]+)",kind="([^"]+)"\} (\S+)$/gm,
  ))
    console.log(`thread ${thread}, ${kind}: ${(Number(bytes) / 1e6).toFixed(1)} MB`);
}
