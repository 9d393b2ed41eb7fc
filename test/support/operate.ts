import { cliContext } from '../../src/app/cli-context.ts';
import { examine } from '../../src/app/doctor/examine.ts';
import { planUpgrade } from '../../src/app/upgrade/plan-upgrade.ts';
import { runCli } from '../../src/cli/cli-program.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import type { CliRun } from './cli.ts';

/** Runs a CLI command in this process, on the installation that the environment names. */
export async function botledger(
  env: Readonly<Record<string, string>>,
  argv: readonly string[],
  /** The read models of the binary that runs. */
  readModels?: readonly ReadModel[],
  /** Gets the lines that a person would see besides. */
  notices: string[] = [],
  waitMs?: number,
): Promise<CliRun> {
  const output = { out: '', err: '' };
  const code = await runCli([...argv, '--json'], {
    examine: () => examine({ LOG_LEVEL: '', ...env }),
    planUpgrade: () => planUpgrade({ LOG_LEVEL: '', ...env }, readModels),
    withContext: cliContext(
      { LOG_LEVEL: '', ...env },
      { notice: (line) => notices.push(line), ...(waitMs && { waitMs }) },
      readModels,
    ),
    stdout: (text) => {
      output.out += text;
    },
    stderr: (text) => {
      output.err += text;
    },
  });
  return { code, ...output };
}

/** A busy machine may need more than the 10 s that commands wait for read models. */
const PATIENT_MS = 120_000;

/** Returns the answer of the command. @throws if it fails */
export async function operate(
  env: Readonly<Record<string, string>>,
  argv: readonly string[],
  readModels?: readonly ReadModel[],
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
): Promise<any> {
  const { code, out, err } = await botledger(env, argv, readModels, [], PATIENT_MS);
  if (code !== 0) throw new Error(`${argv.join(' ')}: exit ${code}, ${err}`);
  return JSON.parse(out) as unknown;
}
