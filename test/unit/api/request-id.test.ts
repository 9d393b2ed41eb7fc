import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildApp } from '../../../src/api/app.ts';
import { stubOperations } from '../../support/stub-app.ts';

/** Each answer has the id that the log has (decisions.md#request-id). */

const lines: string[] = [];
const log = new Writable({
  write(line, _, done) {
    lines.push(String(line));
    done();
  },
});
let app: Awaited<ReturnType<typeof buildApp>>;
beforeAll(async () => {
  app = await buildApp({
    logger: pino({ level: 'debug' }, log),
    trustProxy: false,
    operations: stubOperations,
    api: null,
  });
});
afterAll(() => app.close());

async function idOf(given?: string): Promise<unknown> {
  const headers = given === undefined ? {} : { 'x-request-id': given };
  return (await app.inject({ url: '/nowhere', headers })).headers['x-request-id'];
}

it("takes the caller's id, answers it and logs it", async () => {
  const id = '0199d5b4-8c1e-7000-8000-000000000001';
  expect(await idOf(id)).toBe(id);
  expect(lines.map((line) => JSON.parse(line)).find(({ reqId }) => reqId === id)).toMatchObject({ path: '/nowhere' });
});

it.each(['', 'a b', 'x'.repeat(65), '"}', 'ä'])('numbers a request whose id is %j', async (given) => {
  expect(await idOf(given)).toMatch(/^req-\d+$/);
});

it('numbers requests without an id', async () => {
  const [first, second] = [await idOf(), await idOf()];
  expect(first).not.toBe(second);
  expect(second).toMatch(/^req-\d+$/);
});
