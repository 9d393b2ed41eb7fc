import { runCli } from './cli/program.ts';
import { cliContext } from './cli-context.ts';

/** On a terminal one line that changes; elsewhere nothing, since whoever reads it later wants the answer. */
function showProgress(text: string | null): void {
  if (process.stderr.isTTY) process.stderr.write(text === null ? '\r\u001b[K' : `\r\u001b[K${text}`);
}

/** `botledger`: what bin/botledger.js runs. */
process.exitCode = await runCli(process.argv.slice(2), {
  withContext: cliContext(process.env, showProgress),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
