import { getPriority, setPriority } from 'node:os';
import type { ContextRunner } from '../cli/context.ts';
import { runCli } from '../cli/program.ts';

/** For work of minutes beside a service: no request waits for it. */
const PRIORITY = 10;

function lowerPriority(): void {
  // The system refuses a process that raises its priority.
  if (getPriority() < PRIORITY) setPriority(PRIORITY);
}

/** Help and usage errors load no engine or database code. */
const withContext: ContextRunner = async (work) => {
  const { cliContext } = await import('./cli-context.ts');
  const { createProgress } = await import('../cli/progress.ts');
  const { environment } = await import('../config.ts');
  const { misspeltVariables, misspeltWarning } = await import('./misspelt-variables.ts');
  for (const misspelt of misspeltVariables(Object.keys(process.env), Object.keys(environment.shape)))
    process.stderr.write(`botledger: ${misspeltWarning(misspelt)}\n`);
  return cliContext(process.env, { progress: createProgress(process.stderr), lowerPriority })(work);
};

/** `botledger`: what bin/botledger.js runs. */
process.exitCode = await runCli(process.argv.slice(2), {
  withContext,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
