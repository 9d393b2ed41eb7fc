import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { serveRoot } from '../../../src/api/root.ts';

/** The address `/` (decisions.md#root). */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

it.each([
  [true, BROWSER, '/console'],
  [true, '*/*', '/docs'],
  [true, undefined, '/docs'],
  [false, BROWSER, '/docs'],
])('with a console (%s), a client that accepts %s is led to %s', async (hasConsole, accept, to) => {
  const app = Fastify();
  serveRoot(app, hasConsole);
  const { statusCode, headers } = await app.inject({ url: '/', headers: accept === undefined ? {} : { accept } });
  expect([statusCode, headers.location, headers.vary]).toEqual([302, to, 'Accept']);
});
