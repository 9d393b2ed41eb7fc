import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { residentMb } from './proc.ts';
import type { BenchService } from './service.ts';

/**
 * Runs a command while a service runs.
 * @param onMemory receives the memory of the command in MB, five times a second
 * @throws if its exit code is not 0
 */
export async function command(
  service: BenchService,
  argv: readonly string[],
  onMemory = (_mb: number): void => {},
): Promise<void> {
  const child = spawn(join(import.meta.dirname, '../bin/botledger.js'), argv, {
    env: { ...process.env, ...service.env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const sampling = setInterval(() => void residentMb(child.pid!).then(onMemory), 200);
  const [code] = await ended;
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${argv.join(' ')}: exit ${code}`);
}
