import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './source-files.ts';

/** A command of a `console` block, and the lines that the block shows below it. */
export interface Shown {
  readonly command: string;
  readonly output: readonly string[];
}

/** A command begins with `$ ` and continues on the lines below it that are indented by four or more. */
export function commandsOf(block: string): Shown[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [first = '', ...rest] = text.trimEnd().split('\n');
      const end = rest.findIndex((line) => !line.startsWith('    '));
      const continued = end === -1 ? rest : rest.slice(0, end);
      return { command: [first, ...continued].join('\n'), output: rest.slice(continued.length) };
    });
}

/** Defines `psql` in a shell. */
export const PSQL = `psql() { node --import '${import.meta.resolve('tsx')}' '${join(ROOT, 'test/support/psql.ts')}' "$@"; }`;

const MARK = '\u241e';

/**
 * Runs commands one after the other in one bash. A command that fails does not end it.
 * @returns the lines that each command printed, on stdout and stderr
 */
export async function runInBash(
  commands: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<string[][]> {
  const functions = [`botledger() { node '${join(ROOT, 'bin/botledger.js')}' "$@"; }`, PSQL];
  // The next command sees the exit code of this one.
  const marked = commands.map((command) => `${command}\nlast=$?; echo; echo '${MARK}'; (exit $last)`);
  const script = ['exec 2>&1', ...functions, ...marked, 'exit 0'].join('\n');
  const options = { cwd: ROOT, env: { PATH: process.env['PATH'], ...variables } };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], options);
  return stdout
    .split(`${MARK}\n`)
    .slice(0, -1)
    .map((printed) => printed.trimEnd().split('\n'));
}
