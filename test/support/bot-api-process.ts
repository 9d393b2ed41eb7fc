import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Time (ms of the stand-in's clock), chat, method, token, and whether the stand-in refused the message itself. */
export type Arrival = readonly [at: number, chatId: number, method: string, token: string, refused: boolean];
/** The stand-in refuses a message with this text in even chats. */
export const HALF_REFUSED = 'refused for even chats';
export type Asked = 'arrivals' | 'stop';
export type Told =
  | { readonly root: string }
  | { readonly arrivals: readonly Arrival[]; readonly mistakes: readonly string[] };

/** The stand-in for the platform in a separate OS process. */
export interface BotApiProcess {
  /** TELEGRAM_API_ROOT. */
  readonly root: string;
  /** All calls so far, in the order of their arrival. @throws if a call broke the rules of the interface */
  arrivals(): Promise<readonly Arrival[]>;
  stop(): Promise<void>;
}

export async function botApiProcess(): Promise<BotApiProcess> {
  const program = fileURLToPath(new URL('./bot-api-program.ts', import.meta.url));
  const child = fork(program, { execArgv: ['--import', 'tsx'] });
  let before: Promise<unknown> = Promise.resolve();
  /** Asks one question after the other, since an answer does not name its question. */
  const ask = (asked: Asked): Promise<Told> => {
    const told = before.then(async () => {
      child.send(asked);
      return (await once(child, 'message'))[0] as Told;
    });
    before = told;
    return told;
  };
  const [first] = (await once(child, 'message')) as [Told];
  if (!('root' in first)) throw new Error('the stand-in did not start');
  const all: Arrival[] = [];
  return {
    root: first.root,
    async arrivals() {
      const told = await ask('arrivals');
      if (!('arrivals' in told)) throw new Error('the stand-in answered another question');
      if (told.mistakes.length > 0) throw new Error(`wrong calls: ${told.mistakes.slice(0, 3).join('; ')}`);
      for (const arrival of told.arrivals) all.push(arrival);
      return all;
    },
    async stop() {
      const gone = once(child, 'exit');
      child.send('stop');
      await gone;
    },
  };
}
