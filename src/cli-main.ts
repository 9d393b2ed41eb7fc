import { getPriority, setPriority } from 'node:os';
import type { ContextRunner } from './cli/context.ts';
import { runCli } from './cli/program.ts';

/** Behind a service on this machine, its projectors too: work of minutes for which no request waits. */
const PRIORITY = 10;

function giveWay(): void {
  // Whoever was started with less may not take more.
  if (getPriority() < PRIORITY) setPriority(PRIORITY);
}

/** Help, and what is used wrongly, is told without what a command works with. */
const withContext: ContextRunner = async (work) => {
  const { cliContext } = await import('./cli-context.ts');
  const { createProgress } = await import('./cli/progress.ts');
  return cliContext(process.env, { progress: createProgress(process.stderr), giveWay })(work);
};

/** `botledger`: what bin/botledger.js runs. */
process.exitCode = await runCli(process.argv.slice(2), {
  withContext,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
