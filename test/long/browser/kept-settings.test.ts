import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, CHROMIUM } from '../../support/browser.ts';
import { aKey } from '../../support/catalog.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

describe.skipIf(CHROMIUM === undefined)('settings that are not saved', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;
  let owner: string;

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot();
    owner = (await aKey(service.commands, bot.ownerId, 'all', { kind: 'owner' })).apiKey;
    await service.projected();
  });
  afterAll(() => started.stop());

  const bar = (page: Page) => page.locator('.saves');
  const stored = (page: Page) => page.evaluate<string>('JSON.stringify({ ...sessionStorage, ...localStorage })');

  it('outlive a reload and another page, but for secrets, until they are saved or taken back', async () => {
    const { page, complaints } = await started.logIn(owner);
    const path = `${service.address}/console/settings/bot?bot=${bot.publicKey}`;
    await page.goto(path);
    const form = page.locator('form.stack').first();
    const name = form.getByLabel('Name', { exact: true });
    const token = form.getByLabel('Token of the platform');
    await name.fill('A name in the making');
    await form.getByLabel('Send more than 30 messages a second').check();
    await token.fill('123456:a_secret-token');
    await bar(page).getByText('3 unsaved changes').waitFor();
    expect(await stored(page)).not.toContain('a_secret-token');
    await page.reload();
    await bar(page).getByText('2 unsaved changes').waitFor();
    expect(await name.inputValue()).toBe('A name in the making');
    expect(await token.inputValue()).toBe('');
    await page.getByRole('link', { name: 'Goals' }).click();
    await page.getByRole('button', { name: 'New goal' }).waitFor();
    await page.getByRole('link', { name: 'General' }).click();
    await bar(page).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await bar(page).getByRole('button', { name: 'Save' }).click();
    await bar(page).waitFor({ state: 'detached' });
    expect(await stored(page)).not.toContain('in the making');
    await page.reload();
    await expect.poll(() => name.inputValue()).toBe('A name in the making');
    expect(await bar(page).count()).toBe(0);
    await name.fill('Another');
    await page.reload();
    await bar(page).getByRole('button', { name: 'Undo' }).click();
    expect(await name.inputValue()).toBe('A name in the making');
    expect(await stored(page)).not.toContain('Another');
    expect(complaints).toEqual([]);
  });

  it('of a new goal are there when the form is opened again', async () => {
    const { page, complaints } = await started.logIn(owner);
    await page.goto(`${service.address}/console/settings/goals?bot=${bot.publicKey}`);
    const open = () => page.getByRole('button', { name: 'New goal' }).click();
    await open();
    await page.locator('form').getByLabel('Name').fill('Half a goal');
    await page.reload();
    await open();
    expect(await page.locator('form').getByLabel('Name').inputValue()).toBe('Half a goal');
    await page.locator('form').getByLabel('Goal number').fill('77');
    await page.getByRole('button', { name: 'Create the goal' }).click();
    await page.getByRole('rowheader', { name: 'Half a goal' }).waitFor();
    expect(await stored(page)).not.toContain('Half a goal');
    expect(complaints).toEqual([]);
  });
});
