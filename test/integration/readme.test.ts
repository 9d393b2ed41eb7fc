import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDemo } from '../../src/commands/catalog/create-demo.ts';
import { paste, shellBlocks } from '../support/readme.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** The README's commands, section by section, each pasted into a shell in one block. */
let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startTestService();
  const demo = await createDemo(service.commands, { kept: null, keep: async () => {} });
  await service.projected();
  folder = await mkdtemp(join(tmpdir(), 'botledger-readme-'));
  await mkdir(join(folder, '.data'));
  await writeFile(join(folder, '.data/demo.key'), `${demo!.apiKey}\n`);
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** The blocks of a section, with the service's address for the usual one. */
function section(only: string): string {
  return shellBlocks({ only }).join('\n').replaceAll('http://127.0.0.1:3000', service.address);
}

it('the first five minutes, pasted as one block, end in a count of 1', async () => {
  const [update, event, events, preview] = await paste(section('First five minutes'), service.env, folder);
  expect([update, event]).toEqual(['{"ok":true}', '{"ok":true}']);
  expect(JSON.parse(events!).data.items).toContainEqual(
    expect.objectContaining({ event_id: 101, name: 'hello', count: 1 }),
  );
  expect(preview).toContain('"value":1');
});

it('every curl of the endpoints answers, pasted as one block after the variables', async () => {
  const [variables = ''] = section('First five minutes').split('\n\n');
  const script = section('Endpoints');
  const answers = await paste(`${variables}\n${script}`, service.env, folder);
  expect(answers).toHaveLength(script.match(/^curl /gm)!.length);
  expect(answers.filter((answer) => answer.startsWith('{"ok":false'))).toEqual([]);
});

it('every body that /docs fills in names no bot, and is accepted as it is where nothing must exist before', async () => {
  const { paths } = (await service.get('/openapi.json')).body;
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

it('every error in /openapi.json has an example of its own status', async () => {
  const { paths } = (await service.get('/openapi.json')).body;
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

it('GET / leads to /docs, whose page has the name', async () => {
  const front = await fetch(service.address, { redirect: 'manual' });
  expect([front.status, front.headers.get('location')]).toEqual([302, '/docs']);
  expect((await service.get('/docs')).body).toContain('<title>Botledger');
});

it.each([
  ['sendEvent', '/v1/send-event'],
  ['sendTarget', '/v1/send-target'],
])('the example of a 400 of %s is what the service answers', async (operation, path) => {
  const { paths } = (await service.get('/openapi.json')).body;
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

/** What needs no id of something that another request made. */
const FREE = [
  'sendEvent',
  'sendTarget',
  'sendUpdate',
  'sendBatchUpdate',
  'previewReport',
  'runReport',
  'saveReport',
  'createBroadcast',
  'createReferralCode',
  'setCodeOwners',
  'markReferral',
];
