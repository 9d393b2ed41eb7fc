import { getPriority, setPriority } from 'node:os';
import type { ContextRunner } from './cli/context.ts';
import { runCli } from './cli/program.ts';

/** On a terminal one line that changes; elsewhere nothing, since whoever reads it later wants the answer. */
function showProgress(text: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(text === null ? '\r\u001b[K' : `\r\u001b[K${text}`);
}

/** Behind a service on this machine, its projectors too: work of minutes for which no request waits. */
const PRIORITY = 10;

function giveWay(): void {
  // Whoever was started with less may not take more.
  if (getPriority() < PRIORITY) setPriority(PRIORITY);
}

/** Help, and what is used wrongly, is told without what a command works with. */
const withContext: ContextRunner = async (work) => {
  const { cliContext } = await import('./cli-context.ts');
  return cliContext(process.env, { progress: showProgress, giveWay })(work);
};

/** `botledger`: what bin/botledger.js runs. */
process.exitCode = await runCli(process.argv.slice(2), {
  withContext,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
