import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasEnded, launch, meet, until } from '../../support/broadcasts.ts';
import { axeFindings, CHROMIUM } from '../../support/browser.ts';
import { openReport } from '../../support/report-page.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { type SendingConsole, startSendingConsole } from '../../support/test-console.ts';

const DAY_MS = 86_400_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const REPORT = {
  chart: 'line',
  period: { from: dayBefore(29), to: dayBefore(0) },
  metrics: [{ event: null, name: 'all', agr: 'total' }],
};

describe.skipIf(CHROMIUM === undefined)('flags of broadcasts in charts', () => {
  let started: SendingConsole;
  let service: TestService;
  let bot: TestBot;
  let id: number;

  beforeAll(async () => {
    started = await startSendingConsole();
    ({ service, bot } = started);
    await meet(service, bot, [1, 2, 3]);
    id = await launch(service, bot, { chats: [1, 2, 3] });
    await until(service, id, hasEnded);
    await service.projected();
  });
  afterAll(() => started.stop());

  const flags = (page: Page) => page.locator('.flags').getByRole('button');

  it('stand where a broadcast was launched, name it on demand, and lead to it', async () => {
    const { page, complaints } = await started.logIn(bot.apiKey);
    await openReport(page, service, REPORT);
    const flag = flags(page);
    await flag.waitFor();
    expect(await flag.getAttribute('aria-label')).toMatch(new RegExp(`^Broadcast .*${id}, `));
    const chart = (await page.locator('.u-over').boundingBox())!;
    const { x, width } = (await flag.boundingBox())!;
    // Today is the last day of the chart.
    expect(Math.abs(x + width / 2 - chart.x - chart.width)).toBeLessThan(2);
    await page.locator('.u-over').hover({ position: { x: chart.width - 2, y: chart.height / 2 } });
    await page
      .locator('.tip')
      .getByText(/^Sent at \d\d:\d\d: /)
      .waitFor();
    await flag.focus();
    await page.keyboard.press('Enter');
    await page.locator('.flagged').getByText('3 recipients').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('.flagged').waitFor({ state: 'detached' });
    const row = page.getByRole('table').getByRole('row').filter({ hasText: 'until' });
    await row.getByRole('link').click();
    await expect.poll(() => page.url()).toContain(`/broadcasts/${id}`);
    expect(complaints).toEqual([]);
  });

  it.each([1280, 360])('are a few of the largest, of many broadcasts with long names (%d px)', async (width) => {
    const { page, complaints } = await started.logIn(bot.apiKey, { width });
    await page.route('**/v1/broadcast/list?*', async (route) => {
      const answer = await (await route.fetch()).json();
      const items = Array.from({ length: 28 }, (_, index) => ({
        ...answer.data.items[0],
        ...{ id: index + 1, name: `Name ${index} ${'x'.repeat(200)}`, date_send: null, count_recipients: index },
        date_activate: `${dayBefore(index)} 00:00:00`,
      }));
      await route.fulfill({ json: { ...answer, data: { ...answer.data, items, total: 150 } } });
    });
    await openReport(page, service, REPORT);
    await page.getByText('only the latest 100 are looked at').waitFor();
    const shown = width > 360 ? 6 : 0;
    await expect.poll(() => flags(page).filter({ visible: true }).count()).toBe(shown);
    // Each day of the first page of the table names its broadcast.
    expect(await page.locator('.launches').count()).toBe(25);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('are left out with the reason when the broadcasts cannot be read; the chart stays', async () => {
    const { page } = await started.logIn(bot.apiKey);
    await page.route('**/v1/broadcast/list?*', (route) =>
      route.fulfill({ status: 503, json: { ok: false, error: 'not now', error_code: 503 } }),
    );
    await openReport(page, service, REPORT);
    await page.getByText('Broadcasts are not marked: not now').waitFor();
    expect(await page.locator('.u-over').count()).toBe(1);
    expect(await flags(page).count()).toBe(0);
  });
});
