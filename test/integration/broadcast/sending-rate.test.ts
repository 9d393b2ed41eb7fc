import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BotApiProcess, botApiProcess } from '../../support/bot-api-process.ts';
import { hasEnded, launch, sendingBot, until } from '../../support/broadcasts.ts';
import { longOnly } from '../../support/long-only.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** How fast broadcasts are sent, by the clock of the receiver (decisions.md#cap-at-the-receiver). */

let platform: BotApiProcess;
let service: TestService;
beforeAll(async () => {
  platform = await botApiProcess();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
});
afterAll(async () => {
  await service?.stop();
  await platform?.stop();
});

const WINDOW_MS = 980;
const SECONDS = 4;
/** The share of the cap that a busy machine still uses; the limiter's own test knows the exact share. */
const LEAST_USED = 0.2;

/** The most that arrive in any window of 0.98 s. */
function mostInWindow(times: readonly number[]): number {
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last++) {
    while (times[last]! - times[first]! >= WINDOW_MS) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** How much of the cap is used between the first and the last. */
function usage(times: readonly number[], cap: number): number {
  return ((times.length - 1) * 1000) / (times.at(-1)! - times[0]!) / cap;
}

longOnly(
  'a bot never gets more than its largest cap in 0.98 s through, each broadcast never more than its own',
  async () => {
    const runs = await Promise.all(
      [
        { token: '1:fast', caps: [7] },
        { token: '2:slow100', caps: [30] },
        { token: '3:fast', caps: [200] },
        { token: '4:slow100', caps: [200] },
        { token: '5:fast', caps: [40, 40, 10] },
      ].map(async ({ token, caps }) => {
        const bot = await sendingBot(service, token);
        const broadcasts = caps.map(async (cap, n) => {
          const chats = Array.from({ length: Math.ceil((cap * SECONDS) / caps.length) }, (_, i) => n * 10_000 + i + 1);
          return { cap, chats: new Set(chats), id: await launch(service, bot, { chats, cap }) };
        });
        return { token, cap: Math.max(...caps), broadcasts: await Promise.all(broadcasts) };
      }),
    );
    for (const { id } of runs.flatMap(({ broadcasts }) => broadcasts)) await until(service, id, hasEnded);
    const arrivals = await platform.arrivals();
    for (const { token, cap, broadcasts } of runs) {
      const ofBot = arrivals.filter(([, , , by]) => by === token);
      const times = ofBot.map(([at]) => at);
      expect(times).toHaveLength(broadcasts.reduce((sum, { chats }) => sum + chats.size, 0));
      expect(mostInWindow(times)).toBeLessThanOrEqual(cap);
      for (const { cap: own, chats } of broadcasts)
        expect(mostInWindow(ofBot.filter(([, chat]) => chats.has(chat)).map(([at]) => at))).toBeLessThanOrEqual(own);
      if (broadcasts.length === 1) expect(usage(times, cap)).toBeGreaterThan(LEAST_USED);
      console.log(
        `${token}, cap ${cap}: at most ${mostInWindow(times)} in 0.98 s, ${usage(times, cap).toFixed(3)} used`,
      );
    }
  },
);

test.concurrent('albums count their length, and one that is longer than the cap goes alone', async () => {
  const media = (length: number) => Array.from({ length }, (_, i) => ({ type: 'photo', media: `file_${i}` }));
  const [small, large] = await Promise.all(['6:fast', '7:fast'].map((token) => sendingBot(service, token)));
  const type = 'sendMediaGroup';
  const ids = await Promise.all([
    launch(service, small!, { type, chats: [1, 2, 3, 4, 5, 6], message: { media: media(5) }, cap: 10 }),
    launch(service, large!, { type, chats: [1, 2, 3], message: { media: media(4) }, cap: 3 }),
  ]);
  for (const id of ids) await until(service, id, hasEnded);
  const arrivals = await platform.arrivals();
  const timesOf = (token: string) => arrivals.filter(([, , , by]) => by === token).map(([at]) => at);
  expect(mostInWindow(timesOf('6:fast'))).toBeLessThanOrEqual(2);
  const [first, second, third] = timesOf('7:fast');
  for (const gap of [second! - first!, third! - second!]) expect(gap).toBeGreaterThanOrEqual(4000 / 3);
});

test.concurrent('a pin counts one', async () => {
  const bot = await sendingBot(service, '8:fast');
  const id = await launch(service, bot, {
    chats: [1, 2, 3, 4, 5, 6],
    message: { text: 'x', pin_message: true },
    cap: 4,
  });
  await until(service, id, hasEnded);
  const times = (await platform.arrivals()).filter(([, , , by]) => by === '8:fast').map(([at]) => at);
  expect(times).toHaveLength(12);
  expect(mostInWindow(times)).toBeLessThanOrEqual(4);
});
