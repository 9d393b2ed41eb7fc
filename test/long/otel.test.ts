import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBot } from '../../src/commands/catalog/change-bot.ts';
import { createOwner } from '../../src/commands/catalog/change-owner.ts';
import { issueKey } from '../../src/commands/catalog/keys.ts';
import { ANY_CATEGORIES } from '../../src/domain/streams.ts';
import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ServiceProcess, serviceProcess } from '../support/service-process.ts';
import { startTraceCollector, type TraceCollector } from '../support/trace-collector.ts';

/** The service with the SDK of ops/otel, as docs/traces.md starts it, and a double of the collector. */

const installed = existsSync(join(import.meta.dirname, '../../ops/otel/node_modules'));
if (!installed) process.stderr.write('skipped: traces with the SDK need `npm ci --prefix ops/otel`\n');

describe.skipIf(!installed)('ops/otel/otel.mjs', () => {
  let collector: TraceCollector;
  let database: TestDatabase;
  let service: ServiceProcess;

  beforeAll(async () => {
    collector = await startTraceCollector();
    database = await createTestDatabase();
    service = await serviceProcess(
      { DATABASE_URL: database.url, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
      { program: ['--import', './ops/otel/otel.mjs', 'dist/app/main.js'] },
    );
    await service.start();
    await service.ready();
  });
  afterAll(async () => {
    await service.kill('SIGKILL', 'group');
    await database.drop();
    await collector.close();
  });

  it('sends spans of all threads, linked, and at a stop the remaining ones', async () => {
    const log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
    const context = { log, sources: systemSources };
    const owner = { name: 'Owner', currency: 'USD', plan: 'premium' as const, broadcastsPerMonth: 1 };
    const { ownerId } = await createOwner(context, owner);
    const { publicKey } = await createBot(context, { ownerId, name: 'Bot' });
    const key = { ownerId, bots: [publicKey], kind: 'personal' as const, name: null, expiresAt: null };
    const { apiKey } = await issueKey(context, key);
    await log.close();
    const send = () =>
      fetch(`${service.address}/v1/send-event`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'api-key': apiKey },
        body: JSON.stringify({ event: 'Order', user_id: 1 }),
      });
    await expect.poll(async () => (await send()).status).toBe(200);
    const find = (name: string) => collector.spans.find((span) => span.name === name);
    const isLinked = () => {
      const append = find('append intake');
      return collector.spans.some(
        ({ name, links = [] }) =>
          name === 'project events' && append !== undefined && links.some(({ spanId }) => spanId === append.spanId),
      );
    };
    await expect.poll(isLinked).toBe(true);
    const append = find('append intake')!;
    expect(collector.spans.some(({ spanId }) => spanId === append.parentSpanId)).toBe(true);

    // The exporter sends every 5 s, so these leave with the stop.
    const before = collector.spans.filter(({ name }) => name === 'append intake').length;
    await send();
    await service.kill('SIGTERM');
    expect(await service.ended()).toBe(0);
    expect(collector.spans.filter(({ name }) => name === 'append intake').length).toBeGreaterThan(before);
  });
});
