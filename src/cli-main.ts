import { getPriority, setPriority } from 'node:os';
import { runCli } from './cli/program.ts';
import { cliContext } from './cli-context.ts';

/** On a terminal one line that changes; elsewhere nothing, since whoever reads it later wants the answer. */
function showProgress(text: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(text === null ? '\r\u001b[K' : `\r\u001b[K${text}`);
}

/** Before the projectors of a service on this machine, and after its requests (projector-thread.ts). */
const PRIORITY = 10;

function giveWay(): void {
  // Whoever was started with less may not take more.
  if (getPriority() < PRIORITY) setPriority(PRIORITY);
}

/** `botledger`: what bin/botledger.js runs. */
process.exitCode = await runCli(process.argv.slice(2), {
  withContext: cliContext(process.env, { progress: showProgress, giveWay }),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
