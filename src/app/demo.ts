import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDemo } from '../commands/catalog/create-demo.ts';
import type { CommandContext } from '../commands/decide-and-append.ts';
import { isSecret } from '../domain/catalog/api-key.ts';

const KEY_FILE = 'demo.key';
const OWNERS_ONLY = { mode: 0o600, flush: true };

/** A demo bot, created once on an empty installation. */
export interface Demo {
  /** The file with the API key. Only its owner may read it. */
  readonly keyFile: string;
  readonly apiKey: string;
  /**
   * Commands to paste. Only the text for a terminal contains the key itself, and a log-in link.
   * @param logInToken null: the text does not go to a terminal
   */
  text(address: string, logInToken: string | null): string;
}

/**
 * Creates the demo if the log holds no owner, and writes its key to DATA_DIR/demo.key (mode 0600). Null if there is an
 * owner. Writes the secret to a file before it appends the key, so that the next start can finish one that died
 * halfway.
 */
export async function prepareDemo(context: CommandContext, dataDir: string): Promise<Demo | null> {
  const keyFile = join(dataDir, KEY_FILE);
  const secretFile = `${keyFile}.secret`;
  const store = {
    kept: await readSecret(secretFile),
    keep: (secret: string) => writeFile(secretFile, secret, OWNERS_ONLY),
  };
  const demo = await createDemo(context, store);
  if (demo !== null) await writeFile(keyFile, `${demo.apiKey}\n`, OWNERS_ONLY);
  await rm(secretFile, { force: true });
  if (demo === null) return null;
  return {
    keyFile,
    apiKey: demo.apiKey,
    text(address, logInToken) {
      const key = logInToken === null ? `$(cat ${keyFile})` : demo.apiKey;
      const update = {
        update_id: 1,
        message: {
          message_id: 1,
          date: Math.floor(context.sources.now() / 1000),
          chat: { id: 4242, type: 'private' },
          from: { id: 4242, is_bot: false, first_name: 'Ada' },
          text: 'hello',
        },
      };
      return [
        '',
        `A demo bot is ready; its key is in ${keyFile}. Forward a first user's message, and send an event of hers:`,
        '',
        `curl -s ${address}/v1/send-update -H "Api-Key: ${key}" -H 'Content-Type: application/json' -d '${JSON.stringify({ update })}'`,
        `curl -s ${address}/v1/send-event -H "Api-Key: ${key}" -H 'Content-Type: application/json' -d '{"event":"hello","user_id":4242}'`,
        `curl -s ${address}/v1/reports/events -H "Api-Key: ${key}"`,
        '',
        ...(logInToken === null ? [] : nextSteps(address, dataDir, logInToken)),
        '',
      ].join('\n');
    },
  };
}

/**
 * Lines for a person at a terminal. They set the variables that differ from the defaults, so that each can be pasted.
 */
function nextSteps(address: string, dataDir: string, logInToken: string): string[] {
  const folder = dataDir === '.data' ? '' : `DATA_DIR=${dataDir} `;
  const url = address === 'http://127.0.0.1:3000' ? '' : `BASE_URL=${address} `;
  const steps = [
    [`${address}/console#token=${logInToken}`, 'the console; the link logs in once, within ten minutes'],
    [`${address}/docs`, 'every endpoint, to try out in a browser'],
    [`${folder}${url}npm run demo`, '100,000 events, and then the reports of docs/cookbook.md'],
    [`${folder}npx botledger projection list`, 'how far each read model is'],
    ['npx botledger --help', 'owners, bots, keys, rules, payouts'],
  ];
  const width = Math.max(...steps.map(([step]) => step!.length));
  return [
    'What to try next, in a second terminal:',
    ...steps.map(([step, what]) => `  ${step!.padEnd(width)}  ${what}`),
    '',
  ];
}

/** Reads the secret. Null if there is no file, or one that was not written completely. */
async function readSecret(file: string): Promise<string | null> {
  try {
    const text = await readFile(file, 'utf8');
    return isSecret(text) ? text : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
