import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner } from '../../src/commands/catalog/change-owner.ts';
import { axeFindings, CHROMIUM, giveKey } from '../support/browser.ts';
import { aKey } from '../support/catalog.ts';
import { longOnly } from '../support/long-only.ts';
import type { TestBot, TestService } from '../support/service.ts';
import { startConsole, type TestConsole } from '../support/test-console.ts';

describe.skipIf(CHROMIUM === undefined)('the console before there is anything', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot();
  });
  afterAll(() => started.stop());

  it("says how to send the first event, which brings the first chart, and shows nothing of another owner's bot", async () => {
    const other = await service.createBot();
    const console = await started.logIn(other.apiKey);
    const command = await console.page.locator('pre').first().textContent();
    await promisify(execFile)('bash', ['-c', command!], { env: { ...process.env, KEY: other.apiKey } });
    await service.projected();
    await console.page.reload();
    await console.page.locator('#growth canvas').waitFor();
    expect(await console.page.locator('[data-figure="newUsers"] .figure').textContent()).toBe('1');
    await console.page.goto(`${service.address}/console/dashboard?bot=${bot.publicKey}`);
    await console.page.getByText('There is no such bot').waitFor();
    const [from, to] = ['2026-01-01%2000:00:00', '2026-01-31%2000:00:00'];
    const status = await console.page.evaluate(
      `fetch('/v1/reports/new-users?date_from=${from}&date_to=${to}', { headers: { 'resource-key': '${bot.publicKey}' } }).then((r) => r.status)`,
    );
    expect(status).toBe(403);
    expect(await axeFindings(console.page)).toEqual([]);
  });

  it('names no other bot when a link is of one that the key may not see, and shows the choice', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    await page.goto(`${service.address}/console/dashboard?bot=nosuch`);
    await page.getByRole('alert').getByText('There is no such bot, or this key may not see it').waitFor();
    expect(await page.locator('[data-figure]').count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Bot' }).click();
    await page.getByText('npm run demo').waitFor();
    expect(page.url()).toContain(`bot=${bot.publicKey}`);
    expect(console.complaints).toEqual([]);
  });

  longOnly('lets an owner without a bot create one, and log out', async () => {
    const { ownerId } = await createOwner(service.commands, {
      ...{ name: 'New', plan: 'premium', currency: 'USD', broadcastsPerMonth: 1 },
    });
    const { apiKey } = await aKey(service.commands, ownerId, 'all', { kind: 'owner' });
    const { apiKey: personal } = await aKey(service.commands, ownerId, 'all', { kind: 'personal' });
    await service.projected();
    const console = await started.logIn(personal);
    const { page } = console;
    await page.getByText('npx botledger bot create').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await giveKey(page, apiKey);
    await page.getByText('This key has no bot yet').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Name', { exact: true }).fill('x'.repeat(190));
    await page.getByRole('button', { name: 'Create the bot' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByText('npm run demo').waitFor();
    expect(await page.locator('pre').first().textContent()).toMatch(/Resource-Key: \S+'/);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1280);
    expect(console.complaints).toEqual([]);
  });
});
