import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { commandsIn, help } from '../../docs/generate/pages.ts';
import { buildApp } from '../../src/api/app.ts';
import { apiRoutes } from '../../src/api/routes.ts';
import { environment, readConfig } from '../../src/config.ts';
import { documents } from '../support/documents.ts';
import { ROOT } from '../support/source-files.ts';

/** The documents say what the code does: nothing that there is goes unnamed, nothing is named that there is not. */

const DOCUMENTS = documents();
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const readme = read('README.md');

/** The cells of a table's rows, by the heading of the section that it stands in. A cell may hold `\|`. */
function table(heading: string): string[][] {
  const section = readme.split(/^## /m).find((each) => each.startsWith(`${heading}\n`));
  const rows = (section ?? '').split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

const code = (cell: string): string => /^`([^`]*)`/.exec(cell)?.[1] ?? cell;

describe('the README', () => {
  const unused = {} as never;
  const routes = apiRoutes({
    config: readConfig({}),
    pool: unused,
    runReport: unused,
    log: unused,
    served: unused,
    sources: { now: Date.now, uuid: unused, randomBytes: unused },
    directory: unused,
  });
  const endpoints = [
    ...routes.map(({ method, url }) => `${method} ${url}`),
    ...['/health', '/ready', '/metrics', '/docs', '/docs/guide', '/docs/guide/:page', '/openapi.json'].map(
      (url) => `GET ${url}`,
    ),
  ];

  it('names every endpoint, and no other', () => {
    expect(
      table('Endpoints')
        .map(([cell]) => code(cell!))
        .sort(),
    ).toEqual(endpoints.sort());
  });

  it('has a curl for every endpoint, and for no other path', () => {
    const called = [...readme.matchAll(/^curl -s "\$URL(\/[^"?]*)/gm)].map(([, path]) => path!);
    const paths = endpoints.map((endpoint) =>
      endpoint.split(' ')[1]!.replace(':bot_public_key', 'demo').replace(':page', 'psql'),
    );
    expect([...new Set(called)].sort()).toEqual([...new Set(paths)].sort());
  });

  it('names every variable of the environment, with its default', () => {
    const defaults = readConfig({}) as Readonly<Record<string, unknown>>;
    const expected = Object.keys(environment.shape).map((name) => [name, String(defaults[name] ?? 'unset')]);
    expect(table('Configuration').map(([name, value]) => [code(name!), code(value!)])).toEqual(expected);
  });

  it('names every command, with options that it has', async () => {
    const words = (cell: string): string => /^[a-z-]+( [a-z-]+)?/.exec(code(cell))![0];
    const named = new Map(table('Command line').map(([cell]) => [words(cell!), code(cell!)]));
    const commands: string[] = [];
    for (const noun of commandsIn(await help())) {
      const verbs = commandsIn(await help(noun));
      if (verbs.length === 0) commands.push(noun);
      for (const verb of verbs) {
        commands.push(`${noun} ${verb}`);
        const options = await help(noun, verb);
        const unknown = (named.get(`${noun} ${verb}`)?.match(/--[a-z-]+/g) ?? []).filter(
          (option) => !options.includes(`  ${option} `),
        );
        expect({ noun, verb, unknown }).toEqual({ noun, verb, unknown: [] });
      }
    }
    expect([...named.keys()].sort()).toEqual(commands.sort());
  });

  it('names every metric of ours', async () => {
    const app = await buildApp({
      logger: pino({ level: 'silent' }),
      trustProxy: false,
      operations: {
        ready: async () => {},
        database: async () => {},
        projections: async () => [],
        horizon: async () => null,
      },
      api: null,
    });
    const { body } = await app.inject('/metrics');
    await app.close();
    const metrics = [...body.matchAll(/^# TYPE (botledger_\w+)/gm)].map(([, name]) => name!);
    expect(metrics.length).toBeGreaterThan(0);
    expect([...new Set(readme.match(/\bbotledger_\w+/g))].sort()).toEqual(metrics.sort());
  });
});

describe.each(DOCUMENTS)('%s', (name) => {
  const text = read(name);
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');

  it('links to what is there', () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    const broken = links.filter((target) => !/^https?:/.test(target)).filter((target) => !resolves(name, target));
    expect(broken).toEqual([]);
  });

  it('names files and scripts that are there', () => {
    const paths = [...prose.matchAll(/`((?:src|test|bench|bin)\/[\w./*-]*)`/g)].map(([, path]) => path!);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const scripts = ['package.json', 'bench/package.json'].flatMap((file) =>
      Object.keys(JSON.parse(read(file)).scripts),
    );
    const run = [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, script]) => script!);
    expect(run.filter((script) => !scripts.includes(script))).toEqual([]);
  });
});

function resolves(from: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || anchors(read(file)).includes(anchor);
}

/** Anchors of a document: those written out, and those that code hosts make of headings. */
function anchors(text: string): string[] {
  const written = [...text.matchAll(/<a id="([^"]*)"><\/a>/g)].map(([, id]) => id!);
  const made = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .replace(/<[^>]*>/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...written, ...made];
}
