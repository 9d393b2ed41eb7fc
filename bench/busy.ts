import { spawn } from 'node:child_process';

const BUSY = Number(process.env['BUSY'] ?? 0);
/** The processes end after this time also if the benchmark is killed. */
const AT_MOST_SECONDS = 900;

/**
 * Starts BUSY processes that take all processor time they get, as unrelated programs do.
 * @returns a function that ends them
 */
export function keepBusy(): () => void {
  const code = `const end = Date.now() + ${AT_MOST_SECONDS * 1000}; while (Date.now() < end);`;
  const children = Array.from({ length: BUSY }, () => spawn(process.execPath, ['-e', code], { stdio: 'ignore' }));
  const end = (): void => {
    for (const child of children) child.kill('SIGKILL');
  };
  process.once('exit', end);
  return end;
}
