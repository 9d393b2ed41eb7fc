import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inlined } from '../../../docs/generate/inlined.ts';
import { createDemo } from '../../../src/commands/catalog/create-demo.ts';
import { commandsOf, runInBash } from '../../support/console.ts';
import { longOnly, longRows } from '../../support/long-only.ts';
import { type Block, blocksOf, isRun, PAGES, runBlocks } from '../../support/pages.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** Runs every shell line of the hand-written pages on one service, page by page, and checks the API document. */
let service: TestService;
let folder: string;
let platformPort: number;

beforeAll(async () => {
  platformPort = await freePort();
  service = await startTestService({ TELEGRAM_API_ROOT: `http://127.0.0.1:${platformPort}` });
  const demo = await createDemo(service.commands, { kept: null, keep: async () => {} });
  await service.projected();
  folder = await mkdtemp(join(tmpdir(), 'botledger-documents-'));
  await mkdir(join(folder, '.data'));
  await writeFile(join(folder, '.data/demo.key'), `${demo!.apiKey}\n`);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** The order matters: curl.md and operations.md need the user that README.md makes. */
const PAGES_RUN_HERE = [
  'README.md',
  'docs/tutorial.md',
  'docs/curl.md',
  'docs/broadcasts.md',
  'docs/referral.md',
  'docs/operations.md',
  'docs/export.md',
];
/** Pages that another test runs, since they need another service. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/cookbook.md': 'test/integration/app/demo.test.ts',
  'docs/psql.md': 'test/long/psql-role.test.ts',
};

const hasConsole = (page: string): boolean => blocksOf(page).some(({ language }) => language === 'console');

it('a test runs every page with shell lines', async () => {
  expect(PAGES.filter(hasConsole)).toEqual(['docs/auditing.md']);
  const pages = PAGES.filter((page) => blocksOf(page).some(isRun));
  expect(pages.sort()).toEqual([...PAGES_RUN_HERE, ...Object.keys(RUN_ELSEWHERE)].sort());
  for (const [page, test] of Object.entries(RUN_ELSEWHERE))
    expect((await readFile(test, 'utf8')).includes(page), page).toBe(true);
});

/** The account of docs/auditing.md: user 42 has referred user 7, and the rewards of the first two orders are paid out. */
const AUDITED_ACCOUNT = `
KEY=$(cat .data/demo.key)
get() { curl -s "$URL/v1/$1" -H "Api-Key: $KEY"; }
post() { curl -s "$URL/v1/$1" -H "Api-Key: $KEY" -H 'Content-Type: application/json' -d "$2"; }
until_available() { for _ in $(seq 100); do get 'referral/balance?user_id=42' | grep "available.:$1," > /dev/null && return; sleep 0.1; done; return 1; }
npx botledger rule create --bot demo --name Orders --trigger-event-id 100 --type fixed --amount 5
update() { echo '{"update": {"update_id": '$1', "message": {"message_id": '$1', "date": 1767225600, "chat": {"id": '$1', "type": "private"}, "from": {"id": '$1', "is_bot": false, "first_name": "A"}, "text": "hello"}}}'; }
post send-update "$(update 42)"
post send-update "$(update 7)"
post referral/mark-referral '{"referral_user_id": 7, "referrer_user_id": 42}'
post send-target '[{"target_id": 1, "user_id": 7}, {"target_id": 1, "user_id": 7}]'
until_available 10
post referral/payout '{"user_id": 42, "method": "manual"}'
npx botledger payout confirm --payout 1
post send-target '{"target_id": 1, "user_id": 7}'
until_available 5
`;

// This page runs first, since it shows the first ids.
longOnly('docs/auditing.md: each command prints what the page shows, except dates, hashes and counts', async () => {
  const variables = { ...service.env, URL: service.address };
  await runBlocks([AUDITED_ACCOUNT], variables, folder);
  const shown = blocksOf('docs/auditing.md')
    .filter(({ language }) => language === 'console')
    .flatMap(({ text }) => commandsOf(text));
  const KEY = (await readFile(join(folder, '.data/demo.key'), 'utf8')).trim();
  const printed = await runInBash(
    shown.map(({ command }) => command),
    { ...variables, KEY },
  );
  for (const [index, { command, output }] of shown.entries())
    if (output.length > 0)
      expect({ command, output: plain(printed[index]!) }).toEqual({ command, output: plain(output) });
  const { rows } = await service.database.pool.query<{ body: string }>(
    `UPDATE log.commits SET body = replace(body, '"amount":"90"', '"amount":"10"')
      WHERE stream = 'account-demo/42' AND revision = 2 RETURNING body`,
  );
  expect(rows).toHaveLength(1);
  await service.database.pool.query('ALTER TABLE log.commits ENABLE TRIGGER append_only');
});

/** The lines without progress, and without values that differ between runs. */
function plain(lines: readonly string[]): string[] {
  return lines
    .filter((line) => !/^(?:replaying|comparing|checking) /.test(line))
    .map((line) =>
      line
        .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'DATE')
        .replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH')
        .replace(/^looked at .*/, (counts) => counts.replaceAll(/\d+/g, 'N'))
        .replaceAll(/-{3,}[-+]*/g, '---')
        .replaceAll(/ +/g, ' ')
        .trim(),
    );
}

const TRIED = PAGES_RUN_HERE.flatMap((page) =>
  ['README.md', 'docs/curl.md'].includes(page) ? page : longRows([page]),
);

it.each(TRIED)('%s: each command succeeds, and answers as the page shows', async (page) => {
  const blocks = blocksOf(page);
  const scripts = blocks
    .filter(isRun)
    .map(({ text }) =>
      text.replaceAll('http://127.0.0.1:3000', service.address).replaceAll('8081', String(platformPort)),
    );
  const printed = await runBlocks(scripts, service.env, folder);
  let run = -1;
  let compared = 0;
  for (const [index, block] of blocks.entries()) {
    if (isRun(block)) run += 1;
    if (block.note !== 'answer') continue;
    expect(isRun(blocks[index - 1]!), `${page}, ${block.heading}: an answer follows a block that runs`).toBe(true);
    compare(block, printed[run]!.at(-1) ?? '', `${page}, ${block.heading}`);
    compared += 1;
  }
  expect(printed.flat().filter((answer) => answer.startsWith('{"ok":false'))).toEqual([]);
  expect(run).toBeGreaterThanOrEqual(0);
  if (page !== 'docs/curl.md') expect(compared).toBeGreaterThan(0);
});

/** Compares the relevant part of an answer, which the page shows with `…` for any text. */
function compare({ language, text }: Block, answer: string, place: string): void {
  if (language === 'json') {
    const shown: unknown = JSON.parse(text, (_, value: unknown) => (value === '…' ? expect.anything() : value));
    expect(JSON.parse(answer), place).toMatchObject(shown as object);
    return;
  }
  const lines = answer.split('\n').map((line) => line.trim().replace(/ +/g, ' '));
  const patterns = text.trimEnd().split('\n').map(patternOf);
  expect(lines.slice(0, patterns.length), place).toEqual(patterns.map((pattern) => expect.stringMatching(pattern)));
}

function patternOf(line: string): RegExp {
  const words = line.trim().replace(/ +/g, ' ').split('…');
  return new RegExp(`^${words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*')}$`);
}

it('the README ends its minute in a count of 1', async () => {
  const key = (await readFile(join(folder, '.data/demo.key'), 'utf8')).trim();
  const { body } = await service.get('/v1/reports/events', { 'api-key': key });
  expect(body.data.items).toContainEqual(expect.objectContaining({ event_id: 101, name: 'hello', count: 1 }));
});

it('the error that docs/http-api.md shows is what the service answers', async () => {
  const shown = blocksOf('docs/http-api.md').filter(({ note }) => note === 'error');
  expect(shown).toHaveLength(1);
  const key = (await readFile(join(folder, '.data/demo.key'), 'utf8')).trim();
  const { body } = await service.post('/v1/send-event', { event: 'hello', user_id: 0 }, { 'api-key': key });
  expect(body).toEqual(JSON.parse(shown[0]!.text));
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it('every example body of /docs names no bot, and is accepted unchanged if it needs no existing data', async () => {
  const { paths } = inlined((await service.get('/openapi.json')).body);
  const bodies = new Map<string, { path: string; example: object }>();
  for (const [path, { post }] of Object.entries<Record<string, Operation>>(paths)) {
    const media = post?.requestBody?.content['application/json'];
    if (post !== undefined && media !== undefined && post.operationId !== 'webhook')
      bodies.set(post.operationId, { path, example: media.example });
  }
  for (const [operation, { example }] of bodies) {
    expect(example, operation).toBeDefined();
    expect(example, operation).not.toHaveProperty('resource_key');
  }
  const headers = { 'api-key': (await readFile(join(folder, '.data/demo.key'), 'utf8')).trim() };
  for (const operation of FREE) {
    const { path, example } = bodies.get(operation)!;
    expect([operation, (await service.post(path, example, headers)).status]).toEqual([operation, 200]);
  }
});

it('every error in /openapi.json has an example with its status', async () => {
  const { paths } = inlined((await service.get('/openapi.json')).body);
  let examples = 0;
  for (const methods of Object.values<Record<string, Operation>>(paths))
    for (const { responses } of Object.values(methods))
      for (const [status, { content }] of Object.entries(responses)) {
        if (status === '200') continue;
        examples += 1;
        expect(content['application/json']?.example).toMatchObject({ ok: false, error_code: Number(status) });
      }
  expect(examples).toBeGreaterThan(100);
});

it('GET / redirects to /docs, whose page has the name of the service', async () => {
  const front = await fetch(service.address, { redirect: 'manual' });
  expect([front.status, front.headers.get('location')]).toEqual([302, '/docs']);
  expect((await service.get('/docs')).body).toContain('<title>Botledger');
});

it.each([
  ['sendEvent', '/v1/send-event'],
  ['sendTarget', '/v1/send-target'],
])('the example of a 400 of %s is what the service answers', async (operation, path) => {
  const { paths } = inlined((await service.get('/openapi.json')).body);
  const { requestBody, responses } = paths[path].post as Operation;
  const { example } = requestBody!.content['application/json']!;
  const headers = { 'api-key': (await readFile(join(folder, '.data/demo.key'), 'utf8')).trim() };
  const { status, body } = await service.post(path, { ...example, user_id: 0 }, headers);
  expect({ operation, status, body }).toEqual({
    operation,
    status: 400,
    body: responses['400']!.content['application/json']!.example,
  });
});

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}
type Content = Readonly<Record<string, { readonly example: object }>>;

/** Operations that need no id from an earlier request. */
const FREE = [
  'sendEvent',
  'sendTarget',
  'sendUpdate',
  'sendBatchUpdate',
  'previewReport',
  'runReport',
  'listReportUsers',
  'saveReport',
  'createBroadcast',
  'createReferralCode',
  'setCodeOwners',
  'markReferral',
];
