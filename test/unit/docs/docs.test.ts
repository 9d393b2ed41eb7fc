import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND_ANSWERS } from '../../../docs/generate/command-answers.ts';
import { commandsIn, help } from '../../../docs/generate/pages.ts';
import { apiRoutes } from '../../../src/api/routes.ts';
import { readConfig } from '../../../src/config.ts';
import { documents } from '../../support/documents.ts';
import { blocksOf, PAGES, readPage } from '../../support/pages.ts';
import { ROOT } from '../../support/source-files.ts';

/** The documents agree with the code: they name everything that exists, and nothing else. */

const DOCUMENTS = [...documents(), 'docs/interface.md'];
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
/** How pages of the packages link to files of the repository. Registries show these pages. */
const ABROAD = JSON.parse(read('package.json')).repository.url.replace(/^git\+(.*)\.git$/, '$1/blob/main/');
const isRelative = (target: string): boolean => !/^https?:/.test(target);

describe('the documents', () => {
  const unused = {} as never;
  const routes = apiRoutes({
    config: readConfig({}),
    counts: unused,
    exports: unused,
    botApi: unused,
    runReport: unused,
    findCellUsers: unused,
    noteAsked: unused,
    log: unused,
    db: unused,
    sources: { now: Date.now, uuid: unused, randomBytes: unused },
    directory: unused,
    proofs: null,
  });
  const endpoints = [
    ...routes.map(({ method, url }) => `${method} ${url}`),
    ...['/health', '/ready', '/metrics', '/docs', '/docs/guide', '/docs/guide/:page', '/openapi.json'].map(
      (url) => `GET ${url}`,
    ),
  ];

  const paths = endpoints.map((endpoint) =>
    endpoint.split(' ')[1]!.replace(':bot_public_key', 'demo').replace(':page', 'psql'),
  );

  it('name exactly the endpoints in docs/curl.md', () => {
    const named = [...read('docs/curl.md').matchAll(/^\| `((?:GET|POST) \/[^`]*)`/gm)].map(([, name]) => name!);
    expect(named.sort()).toEqual(endpoints.sort());
  });

  it('have a curl for exactly the endpoints', () => {
    const called = [...read('docs/curl.md').matchAll(/^(?:[A-Z]+=\$\()?curl -s "\$URL(\/[^"?]*)/gm)].map(
      ([, path]) => path!,
    );
    // The page runs on a service without proofs: docs/proofs.md has the call.
    const run = paths.filter((path) => path !== '/v1/referral/proof');
    expect([...new Set(called)].sort()).toEqual([...new Set(run)].sort());
  });

  it('call only paths that exist', () => {
    const called = PAGES.flatMap((page) =>
      blocksOf(page).flatMap(({ text }) => [
        ...[...text.matchAll(/\$URL(\/[a-z][^"?$ ]*)/g)].map(([, path]) => path!),
        ...[...text.matchAll(/^\s*(?:get|post|until_shows) ['"]?([a-z][^'"? ]*)/gm)].map(([, path]) => `/v1/${path}`),
      ]),
    );
    expect(called.length).toBeGreaterThan(60);
    expect(called.filter((path) => path !== '/v1/' && !paths.includes(path))).toEqual([]);
  });

  it('name every status of an error in docs/http-api.md, and 405', () => {
    const { paths } = JSON.parse(read('openapi.json')) as { paths: Record<string, Record<string, Operation>> };
    const responses = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(statusesOf));
    const errors = [...new Set([...responses.filter((status) => status >= '400'), '405'])].sort();
    const named = [...read('docs/http-api.md').matchAll(/^\| (\d{3}) \|/gm)].map(([, status]) => status!);
    expect(named).toEqual(errors);
  });

  it('name the answers of exactly the commands', async () => {
    const commands: string[] = [];
    for (const noun of commandsIn(await help())) {
      const verbs = commandsIn(await help(noun));
      commands.push(...(verbs.length === 0 ? [noun] : verbs.map((verb) => `${noun} ${verb}`)));
    }
    expect(Object.keys(COMMAND_ANSWERS).sort()).toEqual(commands.sort());
  });

  it('call only commands and options that exist', async () => {
    const calls = [...new Set(PAGES.flatMap(commandsCalled))];
    expect(calls.length).toBeGreaterThan(30);
    const wrong: string[] = [];
    for (const call of calls) {
      const [noun = '', verb = ''] = call.split(' ');
      const hasVerbs = commandsIn(await help(noun)).length > 0;
      const options = await help(...(hasVerbs ? [noun, verb] : [noun]));
      const missing = (call.match(/(?<= )--[a-z-]+/g) ?? []).filter((option) => !options.includes(`  ${option} `));
      if (missing.length > 0 || (hasVerbs && !commandsIn(await help(noun)).includes(verb))) wrong.push(call);
    }
    expect(wrong).toEqual([]);
  });
});

interface Operation {
  readonly responses: Record<string, unknown>;
}
const statusesOf = ({ responses }: Operation): string[] => Object.keys(responses);

/** `noun verb --options` of each `botledger` that a page calls, in its blocks and in its text. Global options are left out. */
function commandsCalled(page: string): string[] {
  if (['docs/cli.md', 'docs/interface.md', 'docs/decisions.md'].includes(page)) return [];
  return [...readPage(page).matchAll(/(?:^|`|npx |\$ |\()botledger\s+([a-z-]+(?: [^`\n|)]*)?)/gm)]
    .map(([, call]) => call!.replaceAll(/ --(?:json|version|help)\b/g, '').trim())
    .filter((call) => call !== '');
}

describe.each(DOCUMENTS)('%s', (name) => {
  const text = read(name);
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');

  it('has no broken link', () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    const broken = links.filter((target) =>
      target.startsWith(ABROAD)
        ? !resolves('', target.slice(ABROAD.length))
        : isRelative(target) && !resolves(name, target),
    );
    expect(broken).toEqual([]);
  });

  it('names only files and scripts that exist', () => {
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

/** Anchors of a document: the explicit ones, and the ones that code hosts derive from headings. */
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
