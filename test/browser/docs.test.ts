import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { longOnly } from '../support/long-only.ts';
import type { TestBot, TestService } from '../support/service.ts';
import { startConsole, type TestConsole } from '../support/test-console.ts';

describe.skipIf(CHROMIUM === undefined)('the pages of the API and the guide', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;
  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot();
  });
  afterAll(() => started.stop());

  longOnly('try a request out under a policy that allows our own files alone', async () => {
    const { page, complaints } = await started.browser.open();
    const opened = await page.goto(`${service.address}/docs`);
    expect(opened!.headers()['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src /);
    await page.getByRole('button', { name: 'Authorize' }).click();
    const dialog = page.locator('.modal-ux');
    await dialog.locator('input').first().fill(bot.apiKey);
    await dialog.getByRole('button', { name: 'Apply credentials' }).first().click();
    await dialog.getByRole('button', { name: 'Close', exact: true }).first().click();
    const operation = page.locator('.opblock').filter({ hasText: '/v1/reports/resources' });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table').getByText(bot.publicKey).first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('show the guide, with its diagram, without a complaint of the browser', async () => {
    const { page, complaints } = await started.browser.open();
    await page.goto(`${service.address}/docs/guide`);
    await page.locator('.flow li').first().waitFor();
    expect(await page.locator('.flow li').first().textContent()).toMatch(/API clients.*→.*event log/s);
    expect(complaints).toEqual([]);
  });
});
