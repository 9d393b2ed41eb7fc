import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, inject, test as it } from 'vitest';
import { databaseRemedy, listenStartError } from '../../../src/app/start-failures.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { longRows } from '../../support/long-only.ts';
import { serviceProcess } from '../../support/service-process.ts';

/** A wrong setting ends the service with 1 and one line that names the variable. */

const test = it.extend<{ database: TestDatabase }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures from the pattern
  database: async ({}, use) => {
    const database = await createTestDatabase();
    await use(database);
    await database.drop();
  },
});

/** All of standard error of a service that fails to start. */
async function refusal(env: Record<string, string>): Promise<string> {
  const service = await serviceProcess({ LOG_LEVEL: 'fatal', ...env });
  const output = await service.start().then(
    () => service.kill('SIGKILL').then(() => 'it started'),
    () => service.output(),
  );
  const [message, end] = output.split('-- ended: ');
  expect([end, message!.trim().split('\n').length, message]).toEqual(['1\n', 1, message]);
  return message!.trim();
}

test.each<[string, Partial<URL>, RegExp]>([
  ['a port where nothing listens', { port: '1' }, /:1\/\S* .*ECONNREFUSED/],
  ['a database that is missing', { pathname: '/no_such' }, /"no_such" does not exist: create it/],
  ['a wrong password', { password: 'wrong' }, /password authentication failed.*: write postgres:\/\/user:password@/],
  ...longRows<[string, Partial<URL>, RegExp]>([
    ['a host that is not known', { hostname: 'unknown.invalid' }, /unknown\.invalid.*(ENOTFOUND|EAI_AGAIN)/],
    ['a role that is missing', { username: 'no_such_role' }, /no_such_role/],
    ['TLS where the server has none', { search: '?sslmode=verify-full' }, /SSL/],
  ]),
])('DATABASE_URL names %s', async (_, change, expected) => {
  const url = Object.assign(new URL(inject('databaseUrl')), change);
  const message = await refusal({ DATABASE_URL: url.href });
  expect(message).toMatch(/^botledger: DATABASE_URL: /);
  expect(message).toMatch(expected);
  if (url.password !== '') expect(message).not.toContain(url.password);
});

test.each<[string, string, RegExp]>([
  [
    '28000',
    'no pg_hba.conf entry for host "10.0.0.7", user "app", database "app", no encryption',
    /sslmode=verify-full/,
  ],
  ['28000', 'no pg_hba.conf entry for host "10.0.0.7", user "app", database "app", SSL encryption', /pg_hba\.conf$/],
  ['', 'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', /user:password@/],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', /sslrootcert=/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate', /sslrootcert=/],
  ['', 'The server does not support SSL connections', /sslmode=disable/],
  ['42501', 'permission denied for database app', /^GRANT CREATE/],
])('a database that refuses with %s (%s) is answered with what to write', (code, reason, expected) => {
  expect(databaseRemedy(code, reason)).toMatch(expected);
});

test('KAFKA_BROKERS names a port where no broker listens', async ({ database }) => {
  const env = { DATABASE_URL: database.url, EVENT_LOG: 'kafka', KAFKA_BROKERS: '127.0.0.1:1' };
  expect(await refusal(env)).toMatch(/^botledger: KAFKA_BROKERS: .*127\.0\.0\.1:1/);
});

test
  .skipIf(process.platform !== 'linux')
  .each(['/proc/botledger', ...longRows(['/proc/botledger/deeper', '/proc/self', '/dev/null'])])(
  'DATA_DIR %s, where no folder can be made',
  async (folder) => {
    expect(await refusal({ DATA_DIR: folder })).toMatch(`botledger: cannot use DATA_DIR ${folder}: `);
  },
);

test.each([
  ['192.0.2.1', /^botledger: HOST: .*192\.0\.2\.1.*EADDRNOTAVAIL/],
  ['unknown.invalid', /^botledger: HOST: unknown\.invalid .*(ENOTFOUND|EAI_AGAIN)/],
])('HOST names %s, which this machine does not have', async (host, expected) => {
  const database = await createTestDatabase();
  expect(await refusal({ DATABASE_URL: database.url, HOST: host })).toMatch(expected);
  await database.drop();
});

test('the service warns of a variable that looks misspelt, and starts', async ({ database }) => {
  const service = await serviceProcess({ DATABASE_URL: database.url, PROT: '3000' });
  await service.start();
  await service.kill('SIGTERM');
  expect(service.output()).toContain('the variable PROT is not read; did you mean PORT?');
  for (const step of ['stopping HTTP server', 'stopping log', 'stopped'])
    expect(service.output()).toContain(`"msg":"${step}"`);
});

test('PORT is in use', async ({ database }) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const service = await serviceProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'fatal' }, { port });
  await expect(service.start()).rejects.toThrow(`ended: 1\nbotledger: PORT: ${port} is in use on 127.0.0.1\n`);
  taken.close();
});

test('PORT needs privileges', () => {
  const error = Object.assign(new Error('listen EACCES'), { syscall: 'listen', code: 'EACCES' });
  expect(listenStartError(error, { HOST: '::', PORT: 80 })).toMatchObject({
    message: expect.stringMatching(/^PORT: .*80/),
  });
  const other = new Error('something else');
  expect(listenStartError(other, { HOST: '::', PORT: 80 })).toBe(other);
});
