/**
 * The stand-in for the platform in a process of its own, so that what arrives is timed by a clock that nobody else keeps
 * busy. Calls with a token that ends in `slow<ms>` are answered after so long; its parent asks it by messages.
 */
import type { Arrival, Asked, Told } from './bot-api-process.ts';
import { startBotApi } from './bot-api-server.ts';

const server = await startBotApi();
server.behave(({ token }) => {
  const [, delayMs] = /slow(\d+)$/.exec(token) ?? [];
  return delayMs === undefined ? undefined : { delayMs: Number(delayMs) };
});
const tell = (told: Told): void => void process.send!(told);
let known = 0;

process.on('message', (asked: Asked) => {
  if (asked === 'stop') process.exit(0);
  const arrivals = server.calls
    .slice(known)
    .map(({ at, chatId, method, token }): Arrival => [at, chatId, method, token]);
  known = server.calls.length;
  tell({ arrivals, mistakes: server.mistakes });
});
process.on('disconnect', () => process.exit(0));
tell({ root: server.root });
