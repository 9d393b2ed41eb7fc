import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccounts } from '../../src/commands/accounts.ts';
import { accrueRewards } from '../../src/commands/accrue-rewards.ts';
import { changeBot } from '../../src/commands/change-bot.ts';
import { createDemo } from '../../src/commands/create-demo.ts';
import { rotateWebhookSecret } from '../../src/commands/rotate-webhook-secret.ts';
import { item } from '../support/account-samples.ts';
import { TOKEN } from '../support/broadcasts.ts';
import { paste, shellBlocks } from '../support/readme.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** The README's curl lines, block by block, run by a shell as a reader would paste them. */
let service: TestService;
let variables: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  const demo = await createDemo(service.commands, { kept: null, keep: async () => {} });
  const earned = { bot: demo!.bot, referrer: 4242, items: [item(1)] };
  await accrueRewards(createAccounts(service.commands), earned);
  // The README says so: without a token nothing can be activated.
  await changeBot(service.commands, demo!.bot, { token: TOKEN });
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

const blocks = shellBlocks({ except: 'Cookbook' }).filter((block) => /^curl /m.test(block));

async function run(block: string): Promise<string[]> {
  const answers = await paste(block, variables);
  await service.projected();
  return answers;
}

it('the first five minutes end in a count, and the rest answers', async () => {
  const [update, event, events, preview, ...rest] = blocks;
  expect(await run(update!)).toEqual(['{"ok":true}']);
  expect(await run(event!)).toEqual(['{"ok":true}']);
  expect(JSON.parse((await run(events!))[0]!).data.items).toContainEqual(
    expect.objectContaining({ event_id: 101, name: 'hello', count: 1 }),
  );
  expect((await run(preview!))[0]).toContain('"value":1');
  expect(rest.length).toBeGreaterThan(0);
  for (const block of rest) {
    const answers = await run(block);
    expect(answers).toHaveLength(block.match(/^curl /gm)!.length);
    const errors = answers.filter((answer) => answer.startsWith('{"ok":false'));
    expect(errors).toEqual([]);
  }
});
