import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import type { EventLog } from '../../src/log/port.ts';
import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import { surviveBrokerKills } from '../support/broker-kills.ts';
import { createTestDatabase } from '../support/database.ts';
import { startKafkaBroker } from '../support/kafka-broker.ts';
import { createKafkaTestLog } from '../support/kafka-log.ts';
import { ANY_CATEGORIES, newBot } from '../support/log.ts';
import { expectExactlyOnce, followAll, nthCommit, persist } from '../support/log-stress.ts';

const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

const WRITERS = 24;
const COMMITS_EACH = 1500;

interface Opened {
  readonly handles: readonly EventLog[];
  destroy(): Promise<void>;
}

const engines: Record<string, () => Promise<Opened>> = {
  async postgres() {
    const database = await createTestDatabase();
    const open = (): Promise<EventLog> =>
      openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
    return { handles: [await open(), await open(), await open()], destroy: () => database.drop() };
  },
  async kafka() {
    const under = await createKafkaTestLog(broker!, `long.${randomUUID()}`);
    return { handles: [await under.open(), await under.open(), await under.open()], destroy: () => under.destroy() };
  },
};

describe.each(Object.keys(engines))('the log on %s', (engine) => {
  it.skipIf(engine === 'kafka' && broker === null)(
    'delivers each commit of many writers once and in order to all readers for minutes',
    async () => {
      const { handles, destroy } = await engines[engine]!();
      const bots = Array.from({ length: 10 }, newBot);
      const stop = new AbortController();
      const readers = followAll(handles, new Map(), stop.signal);
      const acknowledged: string[] = [];
      await Promise.all(
        Array.from({ length: WRITERS }, async (_, writer) => {
          for (let n = 0; n < COMMITS_EACH; n++) {
            const commit = nthCommit(bots, writer, n);
            await persist(handles[writer % handles.length]!, commit);
            acknowledged.push(commit.id);
          }
        }),
      );
      expect(acknowledged).toHaveLength(WRITERS * COMMITS_EACH);
      const head = await handles[0]!.endCursor();
      await Promise.all(readers.map((reader) => reader.until(head)));
      stop.abort();
      expectExactlyOnce(readers, acknowledged, bots);
      await Promise.all(handles.map((handle) => handle.close()));
      await destroy();
    },
  );
});

it.skipIf(broker?.process == null)(
  'the log on Kafka loses and repeats no commit when its broker is killed 20 times',
  async () => {
    const under = await createKafkaTestLog(broker!, `kills.${randomUUID()}`);
    await surviveBrokerKills({ broker: broker!.process!, under, writers: 16, kills: 20, between: 1000 });
    await under.destroy();
  },
);
