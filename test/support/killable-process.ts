import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RunnerTask } from './process-runner.ts';

/**
 * Runs a process of the service in a separate OS process.
 * @returns a function that kills it with -9 and waits for its end
 */
export async function killableProcess(task: RunnerTask): Promise<() => Promise<void>> {
  const script = fileURLToPath(new URL('./process-runner.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'close');
  };
}
