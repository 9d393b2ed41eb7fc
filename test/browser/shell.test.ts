import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, CHROMIUM, type ConsolePage, HOSTILE, type PageOptions } from '../support/browser.ts';
import type { TestBot } from '../support/service.ts';
import { startConsole, type TestConsole } from '../support/test-console.ts';

describe.skipIf(CHROMIUM === undefined)('the frame of the console', () => {
  let started: TestConsole;
  let bot: TestBot;
  const logIn = (options?: PageOptions): Promise<ConsolePage> => started.logIn(bot.apiKey, options);
  let event: string;

  beforeAll(async () => {
    started = await startConsole();
    const { service } = started;
    bot = await service.createBot();
    event = `order_paid_${'x'.repeat(60)}`;
    const key = { 'api-key': bot.apiKey, 'resource-key': bot.publicKey };
    const from = { id: 1, is_bot: false, first_name: HOSTILE[0] };
    const message = { message_id: 1, date: Math.floor(Date.now() / 1000), chat: { id: 1, type: 'private' }, from };
    await service.post('/v1/send-update', { update: { update_id: 1, message } }, key);
    await service.post('/v1/send-event', [{ event, user_id: 1 }], key);
    const requests = [{ type: 'trend', event_id: null, event_name: 'all', agr: 'total' }];
    const settings = { params: { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-31 23:59:59' } };
    const report_config = { source_request: { type: 'trends', type_chart: 'line', requests }, settings };
    await service.post('/v1/reports/save', { name: HOSTILE[1], report_config }, key);
    await service.projected();
  });
  afterAll(() => started?.stop());

  it('names the page and the bot in the title of the tab', async () => {
    const { page } = await logIn();
    await page.getByRole('link', { name: 'Reports', exact: true }).click();
    const name = await page.locator('.side .bot-name bdi').textContent();
    await expect.poll(() => page.title()).toBe(`Reports · ${name} · Botledger`);
    await page.goBack();
    await expect.poll(() => page.title()).not.toContain('Reports');
  });

  it('finds pages and reports by Ctrl K and opens them by Enter', async () => {
    const { page, complaints } = await logIn();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox', { name: 'Search or go to' });
    await search.fill('refer');
    await page.getByRole('option', { name: 'Referrals' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('/console/referrals');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Referrals' }).first().waitFor();
    await search.fill(HOSTILE[1]!.slice(0, 8));
    await page.getByRole('option', { name: HOSTILE[1]!, exact: true }).click();
    await expect.poll(() => page.url()).toContain('/console/reports');
    expect(complaints).toEqual([]);
  });

  it('closes the search by Escape and returns the focus', async () => {
    const { page } = await logIn();
    const opener = page.getByRole('button', { name: 'Search or go to' });
    await opener.press('Enter');
    await page.getByRole('combobox', { name: 'Search or go to' }).press('Escape');
    await expect.poll(() => page.evaluate(`document.activeElement.className`)).toBe('search-btn');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('goes to pages by two keys, but not out of a field, and not once single keys are off', async () => {
    const { page } = await logIn();
    await page.locator('[data-figure]').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await expect.poll(() => page.url()).toContain('/console/settings');
    await page.keyboard.press('?');
    await page.getByRole('checkbox', { name: /Single keys/ }).uncheck();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or go to' }).fill('gd');
    expect(page.url()).toContain('/console/settings');
  });

  it('has its navigation behind a button on a phone', async () => {
    const { page } = await logIn({ width: 360 });
    const link = page.getByRole('link', { name: 'Broadcasts', exact: true });
    expect(await link.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    expect(await axeFindings(page)).toEqual([]);
    await link.click();
    await page.getByRole('heading', { name: 'Broadcasts', exact: true }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  it('keeps the chosen theme', async () => {
    const { page } = await logIn();
    const background = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await background();
    await page.getByRole('button', { name: 'Light or dark' }).click();
    await expect.poll(background).not.toBe(light);
    const dark = await background();
    await page.reload();
    await page.locator('.app').waitFor();
    expect(await background()).toBe(dark);
  });
});
