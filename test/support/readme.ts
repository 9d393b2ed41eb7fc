import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './source-files.ts';

/** The README's commands, run by a shell as a reader would paste them. */

/** What a shell is given in the README's sections of these names, block by block; all sections but `except`. */
export function shellBlocks({ only, except }: { readonly only?: string; readonly except?: string }): string[] {
  const sections = readFileSync(join(ROOT, 'README.md'), 'utf8').split(/^## /m);
  return sections
    .filter((section) => {
      const name = section.split('\n', 1)[0];
      return only === undefined ? name !== except : name === only;
    })
    .flatMap((section) => [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!));
}

/**
 * What each curl that stands at the beginning of a line answered, a string each, whose ends of lines are `\v`.
 * @throws Error at the first that was refused
 */
export async function paste(
  script: string,
  variables: Readonly<Record<string, string>>,
  cwd: string = ROOT,
): Promise<string[]> {
  // --fail: a status of 400 and above is an exit code.
  const curl = `curl() { command curl --fail --show-error "$@" | tr '\\n' '\\v'; echo; }\n`;
  // What a command of the CLI says is an answer only where it is asked for as JSON.
  const cli = `node '${join(ROOT, 'bin/botledger.js')}' "$@"`;
  const npx = `npx() { shift; if [[ "$*" == *--json* ]]; then ${cli}; else ${cli} >&2; fi; }\n`;
  const options = { cwd, env: { PATH: process.env['PATH'], ...variables } };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', curl + npx + script], options);
  return stdout.replace(/\n$/, '').split('\n');
}
