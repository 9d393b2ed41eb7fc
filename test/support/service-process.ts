import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pause } from '../../src/util/pause.ts';

/** The service as its users run it: an OS process that leads a process group. A test may kill it and start it again. */
export interface ServiceProcess {
  readonly address: string;
  /** Starts the service; resolves when it listens. */
  start(): Promise<void>;
  /** Resolves when the service is ready to serve. */
  ready(): Promise<void>;
  /** The id of the running OS process. */
  pid(): number;
  /** Sends a signal only to the process and does not wait for its effect. */
  signal(signal: NodeJS.Signals): void;
  /** Sends the signal only to the process, or to its whole group, and waits until the process has ended. */
  kill(signal: NodeJS.Signals, whom?: 'process' | 'group'): Promise<void>;
  /** Resolves with the exit code, or with the signal that ended the process. */
  ended(): Promise<number | NodeJS.Signals>;
  /** The output so far, for the message of a failed test. */
  output(): string;
}

const READY_WITHIN_MS = 60_000;
const POLL_MS = 50;
const root = join(import.meta.dirname, '../..');

export async function serviceProcess(
  env: Record<string, string>,
  { port: given, program = ['dist/app/main.js'] }: { port?: number; program?: readonly string[] } = {},
): Promise<ServiceProcess> {
  const port = given ?? (await freePort());
  let child: ChildProcess | null = null;
  let ended: Promise<number | NodeJS.Signals> = Promise.resolve(0);
  let output = '';

  const address = `http://127.0.0.1:${port}`;
  return {
    address,
    async start() {
      const started = spawn(process.execPath, program, {
        cwd: root,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, RATE_LIMIT_PER_KEY: '0', LOG_LEVEL: 'info', ...env, PORT: String(port) },
      });
      child = started;
      ended = new Promise((resolve) => {
        started.once('close', (code, signal) => {
          output += `-- ended: ${code ?? signal}\n`;
          if (child === started) child = null;
          resolve(code ?? signal!);
        });
      });
      await new Promise<void>((resolve, reject) => {
        const listen = (chunk: Buffer): void => {
          output += chunk.toString();
          if (chunk.includes('"msg":"serving"')) resolve();
        };
        started.stdout.on('data', listen);
        started.stderr.on('data', listen);
        started.once('close', (code, signal) => reject(new Error(`the service ended: ${code ?? signal}\n${output}`)));
      });
    },
    async ready() {
      for (let tries = 0; tries < READY_WITHIN_MS / POLL_MS; tries++) {
        if ((await fetch(`${address}/ready`).catch(() => null))?.ok) return;
        await pause(POLL_MS);
      }
      throw new Error(`the service does not get ready\n${output}`);
    },
    pid() {
      if (child?.pid === undefined) throw new Error('the service does not run');
      return child.pid;
    },
    signal(signal) {
      child?.kill(signal);
    },
    ended: () => ended,
    async kill(signal, whom = 'process') {
      if (child?.pid === undefined) return;
      process.kill(whom === 'group' ? -child.pid : child.pid, signal);
      child = null;
      await ended;
    },
    output: () => output,
  };
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
