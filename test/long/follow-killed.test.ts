import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { FOLLOWED_CATEGORIES } from '../../src/administration/follow/follow-rows.ts';
import { hasClickHouse, startClickHouse } from '../support/clickhouse-server.ts';
import { eventsIn, eventsInClickHouse, eventsInS3, type Followed } from '../support/followed.ts';
import { readAll } from '../support/log.ts';
import { startS3 } from '../support/s3-server.ts';
import { startTestService } from '../support/service.ts';

/** Kills followers with -9 while the destination has a batch in hand. Each runs in a separate OS process. */
const KILLS = 10;
const PROGRAM = new URL('../../src/app/cli-main.ts', import.meta.url).pathname;

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly events: () => Promise<Followed[]>;
  /** Decides over each put. */
  onPut(decide: () => 'answer' | { readonly later: Promise<void> | null }): void;
  settled(): Promise<void>;
  close(): Promise<void>;
}

const places: [string, boolean, () => Promise<Place>][] = [
  [
    'clickhouse',
    hasClickHouse,
    async () => {
      const server = await startClickHouse();
      return {
        env: { EXPORT_CLICKHOUSE_URL: server.url },
        events: async () => eventsInClickHouse(server),
        onPut(decide) {
          server.onInsert = decide;
        },
        settled: server.settled,
        close: server.close,
      };
    },
  ],
  [
    's3',
    true,
    async () => {
      const server = await startS3();
      const signed = {
        EXPORT_S3_ACCESS_KEY_ID: 'key',
        EXPORT_S3_SECRET_ACCESS_KEY: 'secret',
        EXPORT_S3_REGION: 'region',
      };
      return {
        env: { EXPORT_S3_URL: server.url, ...signed },
        events: () => eventsInS3(server),
        onPut(decide) {
          server.onPut = decide;
        },
        settled: server.settled,
        close: server.close,
      };
    },
  ],
];

for (const [to, isHere, start] of places)
  test(`has each event once at ${to} after ${KILLS} kills in mid-batch, whose batches the destination then stores, drops or stores late`, async ({
    skip,
  }) => {
    if (!isHere) return skip();
    const place = await start();
    const service = await startTestService();
    try {
      const bot = await service.createBot();
      const send = async (n: number): Promise<void> => {
        const events = Array.from({ length: 100 }, (_, i) => ({
          event: `e${i % 7}`,
          user_id: 1 + i,
          value_num: n + i / 8,
        }));
        expect(await service.post('/v1/send-event', events, { 'api-key': bot.apiKey })).toMatchObject({
          status: 200,
        });
      };
      const args = ['--import', 'tsx', PROGRAM, 'export', 'follow', '--all', '--to', to, '--every', '1s'];
      const env = { ...process.env, ...service.env, ...place.env, LOG_LEVEL: '' };
      const late: (() => void)[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        await send(kill);
        await send(kill);
        const child = spawn(process.execPath, [...args, '--once'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
        const killed = new Promise<void>((resolve) => {
          place.onPut(() => {
            child.kill('SIGKILL');
            resolve();
            for (const run of late.splice(0)) run();
            if (kill % 3 === 0) return { later: null };
            // The batch of a killed follower is stored at once, or when the next follower puts its own.
            return { later: kill % 3 === 1 ? Promise.resolve() : new Promise((run) => late.push(run)) };
          });
        });
        await killed;
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
        expect(child.signalCode).toBe('SIGKILL');
      }
      place.onPut(() => {
        for (const run of late.splice(0)) run();
        return 'answer';
      });
      const last = spawn(process.execPath, [...args, '--once'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
      expect(await once(last, 'exit')).toEqual([0, null]);
      for (const run of late) run();
      await place.settled();
      const expected = eventsIn(await readAll(service.log, { categories: FOLLOWED_CATEGORIES }));
      expect(expected).toHaveLength(200 * KILLS);
      expect(await place.events()).toEqual(expected);
    } finally {
      await service.stop();
      await place.close();
    }
  }, 180_000);
