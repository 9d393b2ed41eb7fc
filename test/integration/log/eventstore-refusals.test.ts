import { once } from 'node:events';
import { createSecureServer, createServer, type Http2SecureServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { serviceProcess } from '../../support/service-process.ts';
import { TLS_CERTIFICATE_FILE, tlsFixture } from '../../support/tls-fixture.ts';

/** A server that refuses is not reported as one that does not answer: the start says why, and what to write. */

let server: Http2Server | Http2SecureServer | undefined;
afterEach(() => {
  server?.close();
  server = undefined;
});

/** A server that answers each gRPC call with a status. @returns its host and port */
async function refusing(status: number, secure: boolean): Promise<string> {
  server = secure ? createSecureServer(tlsFixture) : createServer();
  server.on('stream', (stream) => {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status), 'grpc-message': 'refused' },
      { endStream: true },
    );
  });
  server.on('sessionError', () => {}); // a client that speaks another protocol
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `localhost:${(server.address() as AddressInfo).port}`;
}

/** The line with which the service refuses to start. */
async function refusal(url: string): Promise<string> {
  const database = await createTestDatabase();
  const env = { LOG_LEVEL: 'fatal', DATABASE_URL: database.url, EVENT_LOG: 'eventstoredb', EVENTSTORE_URL: url };
  const service = await serviceProcess(env);
  const output = await service.start().then(
    () => service.kill('SIGKILL').then(() => 'it started'),
    () => service.output(),
  );
  await database.drop();
  return output.split('-- ended: ')[0]!.trim();
}

const UNAUTHENTICATED = 16;
const PERMISSION_DENIED = 7;
const CA = `tlsCAFile=${TLS_CERTIFICATE_FILE}`;

it.each<[string, number, boolean, (at: string) => string, RegExp]>([
  [
    'no user',
    UNAUTHENTICATED,
    true,
    (at) => `esdb://${at}?${CA}`,
    /wants a user and a password: write esdb:\/\/user:password@/,
  ],
  [
    'a wrong password',
    UNAUTHENTICATED,
    true,
    (at) => `esdb://admin:no@${at}?${CA}`,
    /does not accept the user or the password/,
  ],
  ['a user without rights', PERMISSION_DENIED, true, (at) => `esdb://guest:yes@${at}?${CA}`, /may not read the stream/],
  [
    'a certificate that is not trusted',
    UNAUTHENTICATED,
    true,
    (at) => `esdb://admin:yes@${at}`,
    /is not trusted \(.*self-signed.*write tlsCAFile=/,
  ],
  [
    'TLS off where the server has TLS',
    UNAUTHENTICATED,
    true,
    (at) => `esdb://${at}?tls=false`,
    /speaks only TLS: write tls=true/,
  ],
  [
    'TLS where the server has none',
    UNAUTHENTICATED,
    false,
    (at) => `esdb://${at}`,
    /does not speak TLS: write tls=false/,
  ],
])('EVENTSTORE_URL with %s says what to write', async (_, status, secure, url, expected) => {
  const message = await refusal(url(await refusing(status, secure)));
  expect(message).toMatch(/^botledger: EVENTSTORE_URL: /);
  expect(message).toMatch(expected);
  expect(message.split('\n')).toHaveLength(1);
  expect(message).not.toMatch(/:(no|yes)@/);
});
