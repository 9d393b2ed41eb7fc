import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDemo } from '../../src/commands/create-demo.ts';
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
