import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';
import { ROOT } from '../../support/source-files.ts';

/** The client as npm would publish it: small, without imports, for every runtime that has `fetch`. */

const run = promisify(execFile);
const FOLDER = join(ROOT, 'packages/client');
/** Not minified. The bundlers of callers make it about three quarters of this. */
const MAX_BYTES = 14 * 1024;

let folder: string;
let published: string;
let code: string;
let service: TestService;
let key: string;
beforeAll(async () => {
  service = await startTestService();
  ({ apiKey: key } = await service.createBot());
  folder = await mkdtemp(join(tmpdir(), 'botledger-client-'));
  published = await publish('client');
  code = await readFile(join(published, 'dist/index.js'), 'utf8');
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await service.stop();
});

/** Packs a package and unpacks it where a caller's node_modules would have it. @returns its folder */
async function publish(name: string): Promise<string> {
  const cwd = join(ROOT, 'packages', name);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const target = join(folder, 'node_modules/@botledger', name);
  await mkdir(target, { recursive: true });
  await run('tar', ['-xzf', join(folder, filename), '--strip-components', '1', '-C', target]);
  return target;
}

it(`is at most ${MAX_BYTES} bytes, compressed`, () => {
  expect(gzipSync(code, { level: 9 }).length).toBeLessThanOrEqual(MAX_BYTES);
});

it('needs no package', async () => {
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(
    await readFile(join(published, 'package.json'), 'utf8'),
  ) as { dependencies?: object; peerDependencies?: object };
  expect({ ...dependencies, ...peerDependencies }).toEqual({});
});

it('runs with nothing but what the web’s runtimes have alike', async () => {
  const { fetch, Request, Response, Headers, URL, URLSearchParams, FormData, AbortController, crypto } = globalThis;
  const web = { fetch, Request, Response, Headers, URL, URLSearchParams, FormData, AbortController, crypto, console };
  const context = createContext({ ...web, setTimeout, clearTimeout });
  // A context runs scripts: the exports become a variable. An import would be a syntax error.
  const script = code.replace(/export \{([^}]*)\};\s*$/, (_, list: string) => {
    const fields = list.split(',').map((each) => each.trim().split(' as '));
    return `var client={${fields.map(([local, name]) => `${name ?? local}:${local}`).join()}};`;
  });
  runInContext(script, context);
  expect(await runInContext(`(${smokeIn('client')})`, context)(service.address, key)).toEqual({ sent: 1, failed: 0 });
});

/** A function that uses the client, in the name of the variable that has its exports. */
const smokeIn = (variable: string): string => `async (baseUrl, apiKey) => {
  const queue = ${variable}.createClient({ baseUrl, apiKey }).eventQueue();
  queue.add({ event: 'smoke', user_id: 1 });
  return queue.close();
}`;

it('has types that a caller’s compiler checks', async () => {
  await writeFile(
    join(folder, 'caller.ts'),
    `import { createClient, type BotledgerError } from '@botledger/client';
     const client = createClient({ baseUrl: 'http://service.test', apiKey: 'a:b' });
     export async function call(error: BotledgerError): Promise<string | null> {
       const { balance } = await client.get('/v1/referral/balance', { user_id: 1 });
       await client.post('/v1/send-event', [{ event: 'x', user_id: 1, value_num: '0.1' }]);
       const csv: string = await client.csv('/v1/broadcast/recipients', { id: 1 });
       for await (const { amount } of client.pages('/v1/referral/accruals', { user_id: 1 })) csv.concat(amount);
       return error.details[0]?.path ?? balance[0]!.available;
     }`,
  );
  const wrong: Readonly<Record<string, string>> = {
    'an unknown path': "client.get('/v1/unknown')",
    'a value that the interface does not list': "client.post('/v1/referral/payout', { user_id: 1, method: 'cash' })",
    'a status that there is not': "client.get('/v1/referral/all-payouts', { status: 9 })",
    'a path of the other method': "client.get('/v1/send-event')",
    'a missing field': "client.post('/v1/send-event', { event: 'x' })",
    'an unknown field': "client.post('/v1/send-event', { event: 'x', user_id: 1, userid: 1 })",
    'a missing query': "client.get('/v1/referral/balance')",
    'an amount as a number':
      "client.get('/v1/referral/balance', { user_id: 1 }).then((d) => d.balance[0]!.paid.toFixed())",
    'CSV without csv': "client.get('/v1/broadcast/recipients', { id: 1, format: 'csv' })",
    'pages of what has none': "client.pages('/v1/referral/codes', { user_id: 1 })",
  };
  const head =
    "import { createClient } from '@botledger/client';\nconst client = createClient({ baseUrl: '', apiKey: '' });\n";
  await writeFile(
    join(folder, 'wrong.ts'),
    head +
      Object.values(wrong)
        .map((line) => `void ${line};\n`)
        .join(''),
  );
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const files = ['caller.ts', 'wrong.ts'];
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const { stdout } = await run(process.execPath, [compiler, ...options, ...files], { cwd: folder }).catch(
    (error) => error,
  );
  const places = [...(stdout as string).matchAll(/^(\w+\.ts)\((\d+),/gm)].map(([, file, line]) => `${file}:${line}`);
  const expected = Object.keys(wrong).map((_, index) => `wrong.ts:${head.split('\n').length + index}`);
  expect([...new Set(places)], stdout).toEqual(expected);
});

it('has the spool as a separate module that loads by import and by require', async () => {
  const use = (load: string): string => `(async () => {
    const { folderSpool } = ${load};
    const spool = folderSpool(${JSON.stringify(join(folder, 'spool'))}).open('send-event');
    spool.keep('{}').release();
    spool.close();
    console.log(spool.left.length);
  })();`;
  await writeFile(join(folder, 'spool.mjs'), use("await import('@botledger/client/spool')"));
  await writeFile(join(folder, 'spool.cjs'), use("require('@botledger/client/spool')"));
  for (const name of ['spool.mjs', 'spool.cjs'])
    expect((await run(process.execPath, [join(folder, name)])).stdout).toBe('0\n');
  await writeFile(join(folder, 'typed.ts'), typed);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, ...options, 'typed.ts'], { cwd: folder }).catch(
    (error) => error,
  );
  expect(stdout).toBe('');
});

const typed = `import { createClient } from '@botledger/client';
  import { folderSpool } from '@botledger/client/spool';
  const queue = createClient({ baseUrl: '', apiKey: '' }).eventQueue({ spool: folderSpool('spool', { maxBytes: 1e6 }) });
  export const sent: Promise<void> = queue.put({ event: 'x', user_id: 1 }).sent;`;

const RUNTIMES = join(FOLDER, 'runtimes/node_modules/.bin');
const PROGRAM = join(FOLDER, 'runtimes/program.js');
const runtimes: Readonly<Record<string, readonly string[]>> = {
  node: [process.execPath, PROGRAM],
  deno: [join(RUNTIMES, 'deno'), 'run', '--allow-net', '--allow-env', PROGRAM],
  bun: [join(RUNTIMES, 'bun'), PROGRAM],
  workerd: [join(RUNTIMES, 'workerd'), 'test', join(FOLDER, 'runtimes/worker.capnp')],
};

describe.each(Object.entries(runtimes))('on %s', (name, [program, ...parameters]) => {
  const installed = name === 'node' || existsSync(program!);
  if (!installed) console.warn(`the client is not tested on ${name}: npm ci --prefix packages/client/runtimes`);

  it.runIf(installed)('the built client sends, reads, and raises its errors', async () => {
    const env = { ...process.env, BASE_URL: service.address, API_KEY: key };
    const { stdout, stderr } = await run(program!, parameters, { env });
    const line = (stdout + stderr).split('\n').find((each) => each.includes('{"sent"'));
    expect(JSON.parse(line!.slice(line!.indexOf('{')))).toEqual({
      sent: 3,
      failed: 0,
      hasCode: true,
      referrals: 0,
      refused: true,
    });
  });
});

it.each(['grammy', 'telegraf'])('@botledger/%s needs the client and its framework alone, and loads', async (name) => {
  const target = await publish(name);
  const { dependencies, peerDependencies, version } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8'));
  expect({ dependencies, peers: Object.keys(peerDependencies) }).toEqual({
    dependencies: { '@botledger/client': version },
    peers: [name],
  });
  const use = `import { botledger } from '@botledger/${name}';
    const { client } = botledger({ baseUrl: 'http://service.test', apiKey: 'a:b' });
    console.log(typeof client.get);`;
  await writeFile(join(folder, 'use.mjs'), use);
  expect((await run(process.execPath, [join(folder, 'use.mjs')])).stdout).toBe('function\n');
});
