import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, startBrowser, type TestBrowser } from '../support/browser.ts';
import { longOnly } from '../support/long-only.ts';
import { startTestService, type TestBot, type TestService } from '../support/service.ts';

describe.skipIf(CHROMIUM === undefined)('the pages of the API and the guide', () => {
  let service: TestService;
  let browser: TestBrowser;
  let bot: TestBot;
  beforeAll(async () => {
    [service, browser] = await Promise.all([startTestService(), startBrowser()]);
    bot = await service.createBot();
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  longOnly('try a request out under a policy that allows our own files alone', async () => {
    const { page, complaints } = await browser.open();
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
    const { page, complaints } = await browser.open();
    await page.goto(`${service.address}/docs/guide`);
    await page.locator('.flow li').first().waitFor();
    expect(await page.locator('.flow li').first().textContent()).toMatch(/API clients.*→.*event log/s);
    expect(complaints).toEqual([]);
  });
});
