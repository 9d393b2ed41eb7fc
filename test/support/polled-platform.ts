import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TelegramServer } from 'telegram-test-api/lib/telegramServer.js';
import { pause } from '../../src/util/pause.ts';

/** A stand-in of the platform with users who write to one bot. The bot asks for updates. */
export interface PolledPlatform {
  /** TELEGRAM_API_ROOT of the bot and of the service. */
  readonly root: string;
  /** Sends a user's text to the bot, as an update. */
  say(userId: number, text: string): void;
  /** The texts that the chat of a user got so far. */
  textsTo(userId: number): readonly string[];
  /** Delivers an update of before again, as after a bot that ended without a confirmation. @param text the update's */
  deliverAgain(text: string): void;
  close(): Promise<void>;
}

const GET_UPDATES = /\/getUpdates(\?|$)/;
/** How long the stand-in holds a request for updates, as the platform does. */
const POLL_MS = 1000;

export async function polledPlatform(token: string): Promise<PolledPlatform> {
  const platform = new TelegramServer({ storage: 'RAM' });
  const unread = () => platform.storage.userMessages.filter(({ isRead }) => !isRead);
  let closed = false;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const deadline = performance.now() + POLL_MS;
    if (GET_UPDATES.test(request.url ?? ''))
      while (unread().length === 0 && performance.now() < deadline && !closed && !request.socket.destroyed)
        await pause(10);
    // The package answers such a request at once.
    platform['webServer'](request, response);
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    root: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    say(userId, text) {
      const client = platform.getClient(token, { userId, chatId: userId, firstName: `User ${userId}` });
      if (text.startsWith('/')) void platform.addUserCommand(client.makeCommand(text));
      else void platform.addUserMessage(client.makeMessage(text));
    },
    textsTo: (userId) =>
      platform.storage.botMessages
        .filter(({ message }) => Number(message.chat_id) === userId)
        .map(({ message }) => message.text),
    deliverAgain(text) {
      for (const update of platform.storage.userMessages)
        if ('message' in update && 'text' in update.message && update.message.text === text) update.isRead = false;
    },
    close: () =>
      new Promise((resolve) => {
        closed = true;
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
