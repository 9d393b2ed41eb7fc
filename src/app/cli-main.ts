import { getPriority, setPriority } from 'node:os';
import { runCli } from '../cli/cli-program.ts';
import type { ContextRunner } from '../cli/command.ts';

/** The nice value of a long command while a service runs, so that no request waits for the command. */
const PRIORITY = 10;

function lowerPriority(): void {
  // The operating system does not let an OS process raise its priority again.
  if (getPriority() < PRIORITY) setPriority(PRIORITY);
}

/** Loads the context late, so that help and usage errors load no engine or database code. */
const withContext: ContextRunner = async (work, options) => {
  const { cliContext } = await import('./cli-context.ts');
  const { createProgress } = await import('../cli/shown-progress.ts');
  const { environment, misspeltVariables, misspeltWarning } = await import('../config.ts');
  for (const misspelt of misspeltVariables(Object.keys(process.env), Object.keys(environment.shape)))
    process.stderr.write(`botledger: ${misspeltWarning(misspelt)}\n`);
  const notice = (line: string): boolean => process.stderr.write(`botledger: ${line}\n`);
  const progress = createProgress(process.stderr);
  return cliContext(process.env, { progress, notice, lowerPriority })(work, options);
};

/** Runs the command `botledger`. bin/botledger.js loads this file. */
process.exitCode = await runCli(process.argv.slice(2), {
  withContext,
  examine: async () => (await import('./doctor/examine.ts')).examine(process.env),
  planUpgrade: async () => (await import('./upgrade/plan-upgrade.ts')).planUpgrade(process.env),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
