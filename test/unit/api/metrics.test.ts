import { pino } from 'pino';
import { expect, it } from 'vitest';
import { buildApp } from '../../../src/api/app.ts';
import type { ProjectionStatus } from '../../../src/projections/runtime/status.ts';
import { stubOperations } from '../../support/stub-app.ts';

const row: ProjectionStatus = {
  name: 'events',
  version: 1,
  kind: 'read-model',
  state: 'live',
  position: '7',
  lag: { events: 42, seconds: 3 },
  deferred: null,
  quarantined: [],
  error: null,
  build: null,
  next: null,
};

it('/metrics keeps the last values of projections while the database is down, with their age', async () => {
  let down = false;
  const ask = async <T>(answer: T): Promise<T> => {
    if (down) throw new Error('connect ECONNREFUSED 10.1.2.3:5432');
    return answer;
  };
  const app = await buildApp({
    logger: pino({ level: 'silent' }),
    trustProxy: false,
    operations: {
      ...stubOperations,
      ready: () => ask(undefined),
      database: () => ask(undefined),
      projections: () => ask([row]),
      horizon: () => ask(null),
    },
    api: null,
  });
  const scrape = async (): Promise<string> => (await app.inject('/metrics')).body;
  const age = (text: string): number => Number(/^botledger_projection_age_seconds (.+)$/m.exec(text)?.[1]);
  const LAG = 'botledger_projection_lag_events{projection="events",version="1"} 42';
  try {
    down = true;
    const never = await scrape();
    expect(never).toContain('botledger_database_up 0');
    expect(age(never)).toBeNaN();
    expect(never).not.toContain('botledger_projection_lag_events{');

    // An instance that was ready has read them, also without a scrape.
    down = false;
    expect((await app.inject('/ready')).statusCode).toBe(200);
    down = true;
    const [first, second] = [await scrape(), await scrape()];
    for (const text of [first, second]) {
      expect(text).toContain('botledger_database_up 0');
      expect(text).toContain(LAG);
    }
    // On a fast machine two scrapes have the same age.
    await expect.poll(async () => age(await scrape())).toBeGreaterThan(age(first));

    down = false;
    const back = await scrape();
    expect(back).toContain('botledger_database_up 1');
    expect(back).toContain(LAG);
    expect(age(back)).toBeLessThan(age(second));
  } finally {
    await app.close();
  }
});
