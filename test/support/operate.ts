import { cliContext } from '../../src/app/cli-context.ts';
import { runCli } from '../../src/cli/program.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import type { CliRun } from './cli.ts';

/** Runs a command of the CLI as it is, in this process, against what the environment names. */
export async function botledger(
  env: Readonly<Record<string, string>>,
  argv: readonly string[],
  /** What the binary that is run projects the log to. */
  readModels?: readonly ReadModel[],
): Promise<CliRun> {
  const said = { out: '', err: '' };
  const code = await runCli([...argv, '--json'], {
    withContext: cliContext({ LOG_LEVEL: '', ...env }, undefined, readModels),
    stdout: (text) => {
      said.out += text;
    },
    stderr: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}

/** What the command answers. @throws when it fails */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export async function operate(...parameters: Parameters<typeof botledger>): Promise<any> {
  const { code, out, err } = await botledger(...parameters);
  if (code !== 0) throw new Error(`${parameters[1].join(' ')}: exit ${code}, ${err}`);
  return JSON.parse(out) as unknown;
}
