import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDemo } from '../../src/commands/create-demo.ts';
import { rotateWebhookSecret } from '../../src/commands/rotate-webhook-secret.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ROOT } from '../support/source-files.ts';

/** The README's curl lines, block by block, run by a shell as a reader would paste them. */
let service: TestService;
let variables: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  const demo = await createDemo(service.commands, { kept: null, keep: async () => {} });
  const { webhookSecret } = await rotateWebhookSecret(service.commands, demo!.bot);
  await service.projected();
  variables = {
    URL: service.address,
    KEY: demo!.apiKey,
    SECRET: webhookSecret,
    JSON: 'Content-Type: application/json',
  };
});
afterAll(() => service.stop());

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .map(([, block]) => block!)
  .filter((block) => /^curl /m.test(block));

/** What each curl of the block answered, a line each; rejects at the first that was refused. */
async function paste(block: string): Promise<string[]> {
  // --fail: a status of 400 and above is an exit code.
  const script = `curl() { command curl --fail --show-error "$@" | tr -d '\\n'; echo; }\n${block}`;
  const options = { env: { PATH: process.env['PATH'], ...variables } };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options);
  await service.projected();
  return stdout.trim().split('\n');
}

it('the first five minutes end in a count, and the rest answers', async () => {
  const [update, event, events, preview, ...rest] = blocks;
  expect(await paste(update!)).toEqual(['{"ok":true}']);
  expect(await paste(event!)).toEqual(['{"ok":true}']);
  expect(JSON.parse((await paste(events!))[0]!).data.items).toContainEqual(
    expect.objectContaining({ event_id: 101, name: 'hello', count: 1 }),
  );
  expect((await paste(preview!))[0]).toContain('"value":1');
  expect(rest.length).toBeGreaterThan(0);
  for (const block of rest) {
    const answers = await paste(block);
    expect(answers).toHaveLength(block.match(/^curl /gm)!.length);
    const errors = answers.filter((answer) => answer.startsWith('{"ok":false'));
    expect(errors).toEqual([]);
  }
});
