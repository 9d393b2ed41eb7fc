import { readFile, stat } from 'node:fs/promises';
import { startWitness } from '../../administration/proof/witness-server.ts';
import { type NoteSigner, type NoteVerifier, parseSigner, parseVerifier } from '../../proof/signed-note.ts';
import { systemSources } from '../../util/system-sources.ts';
import { type Answer, type Cli, CliError } from '../command.ts';

export function witness(cli: Cli): void {
  cli.noun
    .requiredOption('--key <file>', 'the private key, as `audit make-key --witness` makes it')
    .requiredOption('--listen <host:port>', 'the address that logs send checkpoints to')
    .requiredOption('--state <folder>', 'an existing folder for the last checkpoint of each log; never delete it')
    .requiredOption('--log <verifier key...>', 'the verifier keys of the logs')
    .action(cli.withoutContext((options: WitnessCommandOptions) => run(options, cli.notice)));
}

interface WitnessCommandOptions {
  readonly key: string;
  readonly listen: string;
  readonly state: string;
  readonly log: readonly string[];
}

/** Runs until SIGINT or SIGTERM. */
async function run({ key, listen, state, log }: WitnessCommandOptions, notice: Cli['notice']): Promise<Answer> {
  const [, host, port] = /^\[?([^\]]+)\]?:(\d{1,5})$/.exec(listen) ?? [];
  if (host === undefined || Number(port) > 65_535)
    throw new CliError('--listen must be <host>:<port>, such as 127.0.0.1:8090');
  const signer = await signerOf(key);
  const logs = log.map(verifierOf);
  const isFolder = await stat(state).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) throw new CliError(`--state: there is no folder ${state}; make it before the first start`);
  const sources = { now: systemSources.now, notice };
  const running = await startWitness({ signer, logs, folder: state, host, port: Number(port), ...sources });
  notice(`the witness listens on ${running.address}; its verifier key is ${signer.verifierKey}`);
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  await running.stop();
  return { value: { verifier_key: signer.verifierKey } };
}

async function signerOf(file: string): Promise<NoteSigner> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CliError(`--key: failed to read ${file}: ${error.message}`);
  });
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const signer = lines.length === 1 ? parseSigner(lines[0]!, 'witness') : null;
  if (signer === null)
    throw new CliError(`--key: ${file} must have one line PRIVATE+KEY+… of a witness (audit make-key --witness)`);
  return signer;
}

function verifierOf(text: string): NoteVerifier {
  const verifier = parseVerifier(text);
  if (verifier === null)
    throw new CliError(`--log: ${text.slice(0, 80)} is no verifier key of a log (Ed25519, type 1)`);
  return verifier;
}
