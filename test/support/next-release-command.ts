import { cliContext } from '../../src/app/cli-context.ts';
import { runCli } from '../../src/cli/cli-program.ts';
import { nextRelease } from './changed-read-models.ts';

/** A program that runs a command of the next release, until it ends or is killed: the changed read models, then the command. */
const [, , changed, ...argv] = process.argv;
const unused = (): never => {
  throw new Error('this command does not need it');
};
process.exitCode = await runCli([...argv, '--json'], {
  examine: unused,
  planUpgrade: unused,
  withContext: cliContext(process.env, {}, nextRelease(changed!.split(','))),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
});
