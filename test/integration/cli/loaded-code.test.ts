import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { longOnly } from '../../support/long-only.ts';

/** The cost of a command is mostly the code that it loads. These tests list the files that Node loads for built commands. */

const ROOT = join(import.meta.dirname, '../../..');
const run = promisify(execFile);

const dataUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
const HOOK = dataUrl(`
  import { appendFileSync } from 'node:fs';
  export async function load(url, context, next) {
    appendFileSync(process.env.LOADED_FILE, url + '\\n');
    return next(url, context);
  }`);
const REGISTER = dataUrl(`import { register } from 'node:module'; register(${JSON.stringify(HOOK)});`);

interface Loaded {
  /** Below dist, without `.js`. */
  readonly own: readonly string[];
  readonly packages: readonly string[];
}

async function loadedBy(args: readonly string[], env: Record<string, string> = {}): Promise<Loaded> {
  return loadedWith(['bin/botledger.js', ...args], env);
}

/** @param program a script with its arguments, or `--eval` with code */
async function loadedWith(program: readonly string[], env: Record<string, string>): Promise<Loaded> {
  const folder = await mkdtemp(join(tmpdir(), 'botledger-loaded-'));
  const LOADED_FILE = join(folder, 'urls');
  try {
    await run(process.execPath, ['--import', REGISTER, ...program], {
      cwd: ROOT,
      env: { ...process.env, ...env, LOADED_FILE },
    });
    const urls = (await readFile(LOADED_FILE, 'utf8')).split('\n');
    const found = (pattern: RegExp): string[] => urls.flatMap((url) => pattern.exec(url)?.[1] ?? []);
    return {
      own: found(/^(?!.*node_modules).*\/dist\/(.*)\.js$/),
      packages: [...new Set(found(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//))].sort(),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('help of all nouns loads no code of a noun, of the log, of read models or of the database', async () => {
  const { own, packages } = await loadedBy(['--help']);
  expect(own.toSorted()).toEqual(['app/cli-main', 'cli/cli-program', 'cli/command', 'cli/output']);
  expect(packages).toEqual(['commander', 'lossless-json']);
});

test('help of a noun loads that noun alone', async () => {
  const { own } = await loadedBy(['owner', 'create', '--help']);
  expect(own).toContain('cli/catalog/owner-commands');
  expect(
    own.filter(
      (path) =>
        /^(cli\/(catalog\/bot|referral|intake|operations)\b|log\/|projections\/)/.test(path) && path !== 'log/port',
    ),
  ).toEqual([]);
});

longOnly(
  'a command that asks the catalog loads one engine, the catalog’s read model and no library of a rare case',
  async () => {
    const database = await createTestDatabase();
    const env = { DATABASE_URL: database.url };
    await run(process.execPath, ['bin/botledger.js', 'owner', 'list'], { cwd: ROOT, env: { ...process.env, ...env } });
    const { own, packages } = await loadedBy(['owner', 'list'], env);
    const { own: listed } = await loadedBy(['projection', 'list'], env);
    await database.drop();
    expect(listed.filter((path) => /^projections\/(?!catalog)[^/]+\/read-model$/.test(path))).toEqual([]);
    expect(own).toContain('projections/catalog/read-model');
    expect(
      own.filter((path) =>
        /^(projections\/(events|referral|accounts)\/(?!manifest$)|log\/((kafka|eventstore)\/(?!engine$|eventstore-url$)|validated)|api)/.test(
          path,
        ),
      ),
    ).toEqual([]);
    const rare = [
      'kafkajs',
      '@eventstore/db-client',
      'kysely',
      'liquidjs',
      'csv-parse',
      'fastify',
      'temporal-polyfill',
    ];
    expect(packages).toContain('pg');
    expect(packages.filter((name) => rare.includes(name))).toEqual([]);
  },
);

test('the service loads no code that writes read models, and no processes: their threads do', async () => {
  const { own } = await loadedWith(['--input-type=module', '--eval', `await import('./dist/app/service.js')`], {});
  expect(own).toContain('projections/events/manifest');
  expect(own.filter((path) => /^projections\/[^/]+\/read-model$|^processes\/(?!process-states$)/.test(path))).toEqual(
    [],
  );
});
