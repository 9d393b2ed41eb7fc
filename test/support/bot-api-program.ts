/**
 * The stand-in for the platform in a separate OS process, so that no other work delays the times that it records. It
 * answers calls with a token that ends in `slow<ms>` after that time, and refuses the text `HALF_REFUSED` in even
 * chats. Its parent asks it by messages.
 */
import { type Arrival, type Asked, HALF_REFUSED, type Told } from './bot-api-process.ts';
import { type Call, startBotApi } from './bot-api-server.ts';

const server = await startBotApi();
const isRefused = ({ chatId, parameters }: Call): boolean => parameters['text'] === HALF_REFUSED && chatId % 2 === 0;
const REFUSED = { code: 400, description: "Bad Request: can't parse entities: unexpected end" };
server.behave((call) => {
  const { token } = call;
  if (isRefused(call)) return { error: REFUSED };
  const [, delayMs] = /slow(\d+)$/.exec(token) ?? [];
  return delayMs === undefined ? undefined : { delayMs: Number(delayMs) };
});
const tell = (told: Told): void => void process.send!(told);
let known = 0;

process.on('message', (asked: Asked) => {
  if (asked === 'stop') process.exit(0);
  const arrivals = server.calls
    .slice(known)
    .map((call): Arrival => [call.at, call.chatId, call.method, call.token, isRefused(call)]);
  known = server.calls.length;
  tell({ arrivals, mistakes: server.mistakes });
});
process.on('disconnect', () => process.exit(0));
tell({ root: server.root });
