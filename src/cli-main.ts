import { runCli } from './cli/program.ts';
import { cliContext } from './cli-context.ts';

/** `botledger`: what bin/botledger.js runs. */
process.exitCode = await runCli(process.argv.slice(2), {
  withContext: cliContext(process.env),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
