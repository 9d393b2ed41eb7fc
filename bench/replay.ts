import { randomUUID } from 'node:crypto';
import { CATEGORIES } from '../src/domain/streams.ts';
import type { EventLog } from '../src/log/port.ts';
import { openTestLog } from '../test/support/engines.ts';
import { startEventStore } from '../test/support/eventstore-server.ts';
import { startKafkaBroker } from '../test/support/kafka-broker.ts';
import { startBenchService } from './service.ts';

/**
 * How fast each engine delivers the log from its beginning: commits of 100 events, as batched intake writes them,
 * decoded and counted. Runs on the embedded PostgreSQL, a local Kafka broker, and EventStoreDB (the server of
 * EVENTSTORE_URL, else the tests' double, whose speed says nothing about a server). COMMITS is their number: 100000 are
 * 10 million events.
 */
const COMMITS = Number(process.env['COMMITS'] ?? 5000);
const EVENTS = 100;
const AT_ONCE = 200;

const service = await startBenchService();
const broker = await startKafkaBroker();
const store = await startEventStore();
const open = (env: Readonly<Record<string, string>>) => (): Promise<EventLog> =>
  openTestLog({ DATABASE_URL: service.databaseUrl, ...env });
const engines: Record<string, () => Promise<EventLog>> = {
  postgres: open({}),
  ...(broker && { kafka: open(broker.env(`bench.${randomUUID()}`)) }),
  [`eventstoredb (${store.kind})`]: open(store.env(`bench-${randomUUID()}`)),
};
const items = Array.from({ length: EVENTS }, (_, i) => ({
  event_id: 101 + (i % 20),
  user_id: 1 + i,
  value: '1999',
  unit: 'USD',
}));
try {
  for (const [name, opened] of Object.entries(engines)) {
    const log = await opened();
    const stream = `intake-${randomUUID().replaceAll('-', '')}`;
    const after = await log.endCursor();
    for (let sent = 0; sent < COMMITS; sent += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, () =>
          log.append({
            id: randomUUID(),
            stream,
            expected: 'any',
            at: Date.now(),
            events: [{ type: 'custom_events_received', v: 1, data: { items } }],
          }),
        ),
      );
    const stop = new AbortController();
    let commits = 0;
    const began = performance.now();
    for await (const batch of log.subscribe({ categories: CATEGORIES, after, signal: stop.signal })) {
      commits += batch.commits.filter((commit) => commit.stream === stream).length;
      if (commits >= COMMITS) stop.abort();
    }
    const seconds = (performance.now() - began) / 1000;
    console.log(
      `${name}: ${((COMMITS * EVENTS) / seconds / 1000).toFixed(0)} k events/s, ${(COMMITS / seconds / 1000).toFixed(1)} k commits/s`,
    );
    await log.close();
  }
} finally {
  await service.stop();
  await broker?.stop();
  await store.stop();
}
