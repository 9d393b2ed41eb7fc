import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median } from './quantile.ts';
import { startBenchService } from './service.ts';

/**
 * The cost of a command while a service runs: processor time and memory, compared with an empty Node process in the
 * same round. Measured by GNU time(1), since a shell's own `time` does not measure memory.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 7);
const ROOT = join(import.meta.dirname, '..');
const CLI = join(
  ROOT,
  (JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { bin: { botledger: string } }).bin.botledger,
);

interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
}

const CASES: Readonly<Record<string, readonly string[]>> = {
  'an empty Node process': ['-e', '0'],
  '--help (target 0.2 s)': [CLI, '--help'],
  'owner list (target 0.25 s)': [CLI, 'owner', 'list'],
  'projection list (target 0.25 s)': [CLI, 'projection', 'list'],
};

const service = await startBenchService();
const costs = new Map<string, Cost[]>(Object.keys(CASES).map((name) => [name, []]));
try {
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, args] of Object.entries(CASES)) costs.get(name)!.push(await costOf(args, service.env));
} finally {
  await service.stop();
}
const floor = median(costs.get('an empty Node process')!.map(({ seconds }) => seconds));
for (const [name, all] of costs) {
  const seconds = median(all.map((each) => each.seconds));
  const megabytes = median(all.map((each) => each.megabytes));
  console.log(
    `${name}: ${seconds.toFixed(2)} s of processor time, ${(seconds / floor).toFixed(1)} times an empty one, ${megabytes.toFixed(0)} MB`,
  );
}

async function costOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Cost> {
  const time = ['-f', '%U %S %M', process.execPath, ...args];
  const { stderr } = await promisify(execFile)('/usr/bin/time', time, { env: { ...process.env, ...env } });
  const [user, system, kilobytes] = stderr.trim().split('\n').at(-1)!.split(' ').map(Number);
  return { seconds: user! + system!, megabytes: kilobytes! / 1024 };
}
