import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { z } from 'zod';
import { BodyScan, MAX_BYTES_AT_ONCE, MAX_NODES, MAX_NODES_AT_ONCE } from '../../../src/api/body-scan.ts';
import { JsonSyntaxError, parseJson } from '../../../src/api/exact-json.ts';
import { parseInPieces } from '../../../src/api/parse-in-pieces.ts';
import { route } from '../../../src/api/route.ts';
import { stubApp } from '../../support/stub-app.ts';

const repeated = (text: string, count: number): string => `[${Array(count).fill(text).join()}]`;

function problemOf(text: string, chunkSize: number): string | null {
  const scan = new BodyScan();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkSize) {
    const problem = scan.push(bytes.subarray(at, at + chunkSize));
    if (problem !== null) return `${problem.status}: ${problem.message}`;
  }
  return null;
}

it.each([
  ['empty objects', repeated('{}', MAX_NODES + 1), `413: the body has more than ${MAX_NODES} objects`],
  [
    'fields in one element',
    `[{${Array(MAX_NODES_AT_ONCE).fill('"a":1').join()}}]`,
    '413: the body has more than 20000',
  ],
  [
    'empty lists below the fields of the body',
    `{"a":{"b":${repeated('[]', MAX_NODES_AT_ONCE)}}}`,
    '20000 objects, arrays and fields outside of its lists',
  ],
  [
    'fields after a long list',
    `{"a":${repeated('1', 50_000)}${',"b":1'.repeat(MAX_NODES_AT_ONCE + 1)}}`,
    '20000 objects, arrays and fields outside of its lists',
  ],
  [
    'short lists in fields',
    `{${Array(MAX_NODES_AT_ONCE).fill('"a":[1,2]').join()}}`,
    '20000 objects, arrays and fields outside of its lists',
  ],
  ['bytes in one text', `{"a":"${'\\u0041'.repeat(MAX_BYTES_AT_ONCE / 6)}"}`, '1048576 bytes outside of its lists'],
  ['bytes in one element', `[1,"${'a'.repeat(MAX_BYTES_AT_ONCE)}"]`, '1048576 bytes in one element'],
  ['values', repeated('1', 1_000_002), '413: the body has more than 1000000 values'],
  ['levels', '['.repeat(101), '400: the body is nested deeper than 100 levels'],
])('refuses a body with too many %s, in chunks of any size', (_, text, problem) => {
  for (const size of [7, 65_536]) expect(problemOf(text, size)).toContain(problem);
});

it('does not count what is in strings', () => {
  const text = JSON.stringify({ a: `\\"${'[{:,\\"'.repeat(MAX_NODES_AT_ONCE)}` });
  for (const size of [1, 1000]) expect(problemOf(text, size)).toBeNull();
});

it('accepts a thousand updates of 400 nodes, and a million ids in a field', () => {
  expect(problemOf(repeated(JSON.stringify({ update: Array(399).fill({}) }), 1000), 65_536)).toBeNull();
  expect(problemOf(`{"chat_ids":${repeated('123456789012', 1_000_000)}}`, 65_536)).toBeNull();
});

it('parses a body in pieces as it parses it whole', async () => {
  const json = fc
    .json({ maxDepth: 4 })
    .chain((text) =>
      fc.constantFrom(text, `{"a":${text},"b":"list 0","c":[${text},1],"a":"list 1","__proto__":[1,${text}]}`),
    );
  const broken = fc
    .tuple(json, fc.nat(), fc.constantFrom('', ',', ']', '}', '[', '"', '1'))
    .map(([text, at, change]) => {
      const where = at % (text.length + 1);
      return text.slice(0, where) + change + text.slice(where + 1);
    });
  const parsed = (parse: () => unknown) =>
    Promise.resolve()
      .then(parse)
      .catch((error: unknown) => {
        if (!(error instanceof JsonSyntaxError)) throw error;
        return error.name;
      });
  await fc.assert(
    fc.asyncProperty(fc.oneof(json, broken), fc.integer({ min: 1, max: 5 }), async (text, pieceNodes) => {
      const bytes = Buffer.from(text);
      const scan = new BodyScan({ position: 40, nodes: pieceNodes, commas: 3 });
      if (scan.push(bytes) !== null) return;
      expect(await parsed(() => parseInPieces(bytes, scan.lists))).toEqual(await parsed(() => parseJson(bytes)));
    }),
    { numRuns: 2000 },
  );
});

const shown = { 'content-type': 'application/json', 'api-key': 'k' };

async function echoApp() {
  const echo = route({
    method: 'POST',
    url: '/echo',
    operationId: 'echo',
    summary: 'Echo',
    tag: 'Intake',
    access: { resource: 'optional' },
    bodyLimit: 16 << 20,
    body: z.unknown(),
    answer: z.unknown(),
    handle: async ({ body }) => ({ ok: true, data: body }),
  });
  return stubApp({
    routes: [echo],
    authenticator: {
      authenticate: async () => ({
        keyId: 1,
        ownerId: 1,
        kind: 'service',
        scope: { type: 'all' },
        plan: 'free',
        currency: 'USD',
      }),
      authenticateHash: async () => null,
      resource: async () => 'missing',
      webhookBot: async () => null,
    },
  });
}

test('a list that is cut is parsed as a whole list is', async () => {
  const app = await echoApp();
  const list = Array.from({ length: 40_000 }, (_, i) => [i, { a: ['],[', i] }, null, '\\"', []][i % 5]);
  const sent = JSON.stringify(list);
  const answer = await app.inject({ method: 'POST', url: '/echo', headers: shown, body: sent });
  expect(answer.statusCode).toBe(200);
  expect(answer.body === JSON.stringify({ ok: true, data: list })).toBe(true);
  const numbers = repeated('1', 50_000);
  for (const wrong of [
    `${numbers.slice(0, -1)},]`,
    `${numbers}]`,
    numbers.replace('1,1,1', '1],[1'),
    numbers.slice(0, -1),
  ])
    expect((await app.inject({ method: 'POST', url: '/echo', headers: shown, body: wrong })).statusCode).toBe(400);
  await app.close();
});

test('a long list gives the event loop a turn between pieces', async () => {
  const app = await echoApp();
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  const list = repeated('{"a":[1,2],"b":{}}', 90_000);
  setImmediate(count);
  for (const body of [list, `{"task_id":1,"chat_ids":${list}}`]) {
    turns = 0;
    const answer = await app.inject({ method: 'POST', url: '/echo', headers: shown, body });
    expect(answer.statusCode).toBe(200);
    // 450,000 nodes of at most 5,000 and an element each.
    expect(turns).toBeGreaterThan(75);
  }
  isOver = true;
  await app.close();
});

test('the key is missed before a costly body is refused, and a long one without a key is not read', async () => {
  const app = await echoApp();
  const json = { 'content-type': 'application/json' };
  const send = (body: string, headers: Record<string, string>) =>
    app.inject({ method: 'POST', url: '/echo', headers, body });
  expect((await send('['.repeat(60_000), json)).statusCode).toBe(401);
  expect((await send('['.repeat(60_000), shown)).json().error).toContain('nested deeper');
  expect((await send(JSON.stringify('x'.repeat(64 << 10)), json)).json().error).toBe(
    'the body is larger than 65536 bytes: with the key in a header or the query it may be larger',
  );
  expect((await send(JSON.stringify('x'.repeat(64 << 10)), shown)).statusCode).toBe(200);
  await app.close();
});
