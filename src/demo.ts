import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDemo } from './commands/create-demo.ts';
import type { CommandContext } from './commands/handle.ts';

const KEY_FILE = 'demo.key';

/** A bot to try the service with, made once on an empty installation. */
export interface DemoInvitation {
  /** The file with the API key, readable by its owner only. */
  readonly keyFile: string;
  /** A curl to paste; it shows the key itself only when `toTerminal`. */
  text(address: string, toTerminal: boolean): string;
}

/** Creates the demo if the log holds no owner, and keeps its key in DATA_DIR/demo.key (mode 0600). Null if there is one. */
export async function prepareDemo(context: CommandContext, dataDir: string): Promise<DemoInvitation | null> {
  const demo = await createDemo(context);
  if (demo === null) return null;
  const keyFile = join(dataDir, KEY_FILE);
  await writeFile(keyFile, `${demo.apiKey}\n`, { mode: 0o600 });
  return {
    keyFile,
    text(address, toTerminal) {
      const key = toTerminal ? demo.apiKey : `$(cat ${keyFile})`;
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
        `A demo bot is ready; its key is in ${keyFile}. Tell it of its first user, and send an event of hers:`,
        '',
        `curl -s ${address}/v1/send-update -H "Api-Key: ${key}" -H 'Content-Type: application/json' -d '${JSON.stringify({ update })}'`,
        `curl -s ${address}/v1/send-event -H "Api-Key: ${key}" -H 'Content-Type: application/json' -d '{"event":"hello","user_id":4242}'`,
        `curl -s ${address}/v1/reports/events -H "Api-Key: ${key}"`,
        '',
        '',
      ].join('\n');
    },
  };
}
