import { spawn } from 'node:child_process';
import { ROOT } from '../support/source-files.ts';

/**
 * Runs a program of a client. It reads its task from the standard input.
 * @returns null if the program killed itself
 * @throws Error with its stderr if it fails
 */
export async function runWithTask(
  command: readonly string[],
  task: object,
): Promise<{ readonly stdout: string; readonly stderr: string } | null> {
  const [program, ...parameters] = command;
  const child = spawn(program!, parameters, { cwd: ROOT, stdio: 'pipe' });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString();
  });
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString();
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  child.stdin.end(JSON.stringify(task));
  const code = await ended;
  if (child.signalCode === 'SIGKILL') return null;
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}\n${stderr}`);
  return { stdout, stderr };
}
