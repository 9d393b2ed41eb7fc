import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/source-files.ts';

/** The packages as `npm pack` makes them in a clone where nothing is installed, and as their callers load them. */

const run = promisify(execFile);
const MINUTES = 60_000;
const NAMES = ['client', 'grammy', 'telegraf'] as const;
/** All that the build of a package reads. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'console/package.json',
  'openapi.json',
  'packages',
];

let folder: string;
const files = new Map<string, readonly string[]>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botledger-packed-'));
  const clone = join(folder, 'clone');
  for (const path of SOURCES)
    await cp(join(ROOT, path), join(clone, path), {
      recursive: true,
      filter: (source) => !/\/(node_modules|dist|__pycache__)$/.test(source),
    });
  for (const name of NAMES) {
    const cwd = join(clone, 'packages', name);
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd });
    const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
    files.set(
      name,
      packed.files.map(({ path }) => path),
    );
    const target = join(folder, 'node_modules/@botledger', name);
    await mkdir(target, { recursive: true });
    await run('tar', ['-xzf', join(folder, packed.filename), '--strip-components', '1', '-C', target]);
  }
  for (const name of ['grammy', 'telegraf'])
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
}, 5 * MINUTES);
afterAll(() => rm(folder, { recursive: true }));

async function inFile(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

describe.each(NAMES)('@botledger/%s', (name) => {
  it('has its code, types, license, changelog and page, and nothing else', () => {
    const others = files.get(name)!.filter((path) => !/^dist\/[\w-]+\.(js|cjs|d\.ts|d\.cts)$/.test(path));
    expect(others.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    expect(files.get(name)).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/index.cjs', 'dist/index.d.ts', 'dist/index.d.cts']),
    );
  });

  it('names only files that it has', async () => {
    const manifest = JSON.parse(await readFile(join(folder, 'node_modules/@botledger', name, 'package.json'), 'utf8'));
    const { import: forImport, require: forRequire } = manifest.exports['.'];
    const named = [manifest.main, manifest.types, ...Object.values(forImport), ...Object.values(forRequire)];
    expect(named.map((path) => path.slice(2)).filter((path) => !files.get(name)!.includes(path))).toEqual([]);
  });

  it('loads by require and by import, with the same exports', async () => {
    const required = await inFile(
      `${name}.cjs`,
      `console.log(Object.keys(require('@botledger/${name}')).sort().join())`,
    );
    const imported = await inFile(
      `${name}.mjs`,
      `import * as all from '@botledger/${name}';\nconsole.log(Object.keys(all).sort().join())`,
    );
    const outputs = await Promise.all([required, imported].map((file) => run(process.execPath, [file])));
    expect(outputs[0]!.stdout).toBe(outputs[1]!.stdout);
    expect(outputs[0]!.stdout).toContain(name === 'client' ? 'createClient' : 'botledger');
  });
});

/** Compiles a file. @returns the places of its errors, as `file:line` */
async function compile(file: string, ...options: readonly string[]): Promise<readonly string[]> {
  const usual = ['--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--types', 'node', '--typeRoots'];
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const parameters = [compiler, ...usual, join(ROOT, 'node_modules/@types'), '--skipLibCheck', ...options, file];
  const { stdout } = await run(process.execPath, parameters, { cwd: folder }).catch((error) => error);
  return [...(stdout as string).matchAll(/^([\w.]+)\((\d+),.*$/gm)].map(([line]) => line);
}

const COMMONJS = `import { BotledgerError, createClient } from '@botledger/client';
import { botledger } from '@botledger/grammy';
import { botledger as forTelegraf } from '@botledger/telegraf';
const options = { baseUrl: 'http://127.0.0.1:1', apiKey: 'a:b', maxRetries: 0 };
const client = createClient(options);
const classes = [botledger(options).client, forTelegraf(options).client].map((each) => typeof each.get);
client.get('/v1/referral/balance', { user_id: 1 }).then(
  ({ balance }) => console.log(balance[0]?.available),
  (error: unknown) => console.log(classes.join(), error instanceof BotledgerError && error.name),
);
`;

it('a CommonJS program in TypeScript compiles against their types, and runs', { timeout: MINUTES }, async () => {
  const program = await inFile('program.cts', COMMONJS);
  expect(await compile(program, '--module', 'nodenext')).toEqual([]);
  expect((await run(process.execPath, [join(folder, 'program.cjs')])).stdout).toBe(
    'function,function ConnectionError\n',
  );
  const wrong = await inFile('wrong.cts', COMMONJS.replace('user_id: 1', 'userid: 1'));
  expect(await compile(wrong, '--module', 'nodenext', '--noEmit')).toHaveLength(1);
});

it.each(['import', 'require'])('an error that was thrown from %s names its class and its places', async (way) => {
  const text = `createClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'a:b', maxRetries: 0 })
    .get('/v1/referral/balance', { user_id: 1 })
    .catch((error) => console.log(JSON.stringify([error.constructor.name, error.stack])));`;
  const file =
    way === 'import'
      ? await inFile('stack.mjs', `import { createClient } from '@botledger/client';\n${text}`)
      : await inFile('stack.cjs', `const { createClient } = require('@botledger/client');\n${text}`);
  const { stdout } = await run(process.execPath, [file]);
  const [name, stack] = JSON.parse(stdout) as [string, string];
  expect(name).toBe('ConnectionError');
  expect(stack).toMatch(/^ConnectionError: the connection failed\n {4}at /);
  expect(stack).toMatch(/at (async )?attemptOnce \(.*\/dist\/index\.c?js:\d+:\d+\)/);
  expect(Math.max(...stack.split('\n').map((line) => line.length))).toBeLessThan(300);
});

it('no line of the code is long, so that an error of the program shows what failed', async () => {
  for (const name of ['index.js', 'index.cjs']) {
    const code = await readFile(join(folder, 'node_modules/@botledger/client/dist', name), 'utf8');
    expect(Math.max(...code.split('\n').map((line) => line.length))).toBeLessThan(400);
  }
});
