import { pino } from 'pino';
import { expect, it } from 'vitest';
import { buildApp } from '../../../src/api/app.ts';
import { NotReady } from '../../../src/api/operations.ts';
import { stubOperations } from '../../support/stub-app.ts';

it.each([
  [new NotReady('catalog is catching up'), 'catalog is catching up'],
  [new Error('connect ECONNREFUSED 10.1.2.3:5432'), 'log or database does not answer'],
])('/ready shows the cause and logs the reason: %s', async (reason, error) => {
  const lines: string[] = [];
  const app = await buildApp({
    logger: pino({ level: 'info' }, { write: (line) => lines.push(line) }),
    trustProxy: false,
    operations: { ...stubOperations, ready: () => Promise.reject(reason) },
    api: null,
  });
  const answer = await app.inject('/ready');
  await app.close();
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toEqual({ ok: false, error, error_code: 503 });
  expect(lines.join()).toContain(reason.message);
});
