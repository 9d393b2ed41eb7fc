import { cliContext } from '../../src/app/cli-context.ts';
import { examine } from '../../src/app/doctor/examine.ts';
import { runCli } from '../../src/cli/cli-program.ts';

/** Runs a CLI command on the installation that the environment names. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export type Administer = (...argv: string[]) => Promise<any>;

/** The CLI with --json, in this process; each command must succeed. */
export function administer(env: Record<string, string>): Administer {
  return async (...argv) => {
    const output = { out: '', err: '' };
    const code = await runCli([...argv, '--json'], {
      examine: () => examine(env),
      withContext: cliContext(env),
      stdout: (text) => {
        output.out += text;
      },
      stderr: (text) => {
        output.err += text;
      },
    });
    if (code !== 0) throw new Error(`${argv.join(' ')}: exit ${code}, ${output.err}`);
    return JSON.parse(output.out) as unknown;
  };
}
