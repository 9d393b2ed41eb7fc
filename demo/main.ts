import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from './client.ts';
import { loadDemo } from './load.ts';

/** `npm run demo`: sends a history to the demo bot of a running service. */

const address = (process.env['BASE_URL'] ?? 'http://127.0.0.1:3000').replace(/\/$/, '');
const keyFile = join(process.env['DATA_DIR'] ?? '.data', 'demo.key');

/** The reason why the demo cannot run, in one line. */
class Missing extends Error {}

function numberOf(name: string, text: string, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Missing(`--${name} must be from 1 to ${most}`);
  return value;
}

async function run(): Promise<void> {
  const { values } = parseArgs({
    options: { events: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
  });
  const size = numberOf('events', values.events, 2_000_000);
  const seed = numberOf('seed', values.seed, 99_999);
  const key = await readFile(keyFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Missing(
      `${keyFile} cannot be read (${error.code}): the first start of the service makes it, see DATA_DIR`,
    );
  });
  const ready = await fetch(`${address}/ready`).catch(() => null);
  if (ready === null)
    throw new Missing(`nothing answers at ${address}: start the service with npm start, or set BASE_URL`);
  if (!ready.ok) throw new Missing(`the service at ${address} is not ready: ${await ready.text()}`);

  const began = Date.now();
  const progress = process.stdout.isTTY ? '\r' : '\n';
  let told = 0;
  const loaded = await loadDemo(createClient(address, key.trim()), { seed, size, now: began }, (done, all) => {
    const tenths = Math.floor((10 * done) / all);
    if (progress === '\n' && tenths === told) return;
    told = tenths;
    process.stdout.write(`sent ${done} of ${all}${progress}`);
  });
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  process.stdout.write(
    [
      `The demo bot has ${loaded.users} users more, and ${loaded.items} events of the last 60 days, sent and counted in ${seconds} s.`,
      `Look at it: ${address}/console. Reports to try are in docs/cookbook.md.`,
      '',
    ].join('\n'),
  );
}

run().catch((error: unknown) => {
  const { message, stack } = error as Error;
  process.stderr.write(`${error instanceof Missing ? message : stack}\n`);
  process.exitCode = 1;
});
