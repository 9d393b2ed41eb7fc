import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, type ConsolePage, HOSTILE } from '../../support/browser.ts';
import { fillReports } from '../../support/report-events.ts';
import {
  chip,
  choose,
  chooseEvent,
  choosePeriod,
  form,
  openReport,
  pick,
  saidBy,
  settled,
} from '../../support/report-page.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

const ZONE = 'Europe/Berlin';

describe.skipIf(CHROMIUM === undefined)('the page of a report', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot({ timezone: ZONE });
    await fillReports(service, bot);
  });
  afterAll(() => started.stop());

  async function open(): Promise<ConsolePage> {
    const console = await started.logIn(bot.apiKey);
    await console.page.getByRole('link', { name: 'Reports', exact: true }).click();
    await console.page.getByRole('link', { name: 'New report' }).first().click();
    await settled(console.page);
    return console;
  }

  const reports = (page: Page) => page.getByRole('main').getByRole('link', { name: 'Reports', exact: true });
  const show = (page: Page, name: string): Promise<void> => form(page, name).click();
  const event = (page: Page, name: string, of: 'start' | 'buy'): Promise<void> =>
    chooseEvent(page, name, of === 'start' ? 'Start' : 'Buy');

  /** Holds requests to `/v1/reports/<path>` back until the result is called. */
  async function hold(page: Page, path: string): Promise<() => void> {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`**/v1/reports/${path}`, async (route) => {
      await held;
      await route.continue();
    });
    return release;
  }

  it('shows all digits under the pointer, and a click on the chart opens the people', async () => {
    const { page, complaints } = await open();
    await event(page, 'Event 1', 'buy');
    await choose(page, 'Counted as', 'sum of');
    await choose(page, 'Field', 'value as sent');
    await choosePeriod(page, 'Yesterday');
    await settled(page);
    await page.locator('.u-over').click();
    expect(await page.locator('.tip').textContent()).toContain('617,283,945,061,725.61728');
    await page.getByRole('dialog').getByText('5 people').waitFor();
    expect(complaints).toEqual([]);
  });

  it('moves along the chart by keys, and Enter opens the people', async () => {
    const { page } = await open();
    await event(page, 'Event 1', 'buy');
    await choosePeriod(page, 'Last 7 days');
    await settled(page);
    await page.locator('.chart[role="img"]').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('5 people').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.className')).toBe('chart');
  });

  it('has no shares of numbers that overlap, and says why', async () => {
    const { page } = await open();
    // By key, as a pointer sees that it is disabled.
    await form(page, 'Shares').press('Enter');
    await page.getByRole('status').getByText('they have no shares').waitFor();
    expect(await form(page, 'Lines').getAttribute('aria-pressed')).toBe('true');
    await choose(page, 'Counted as', 'times');
    await show(page, 'Shares');
    await page.locator('.answer').getByText('100\u2009%').waitFor();
  });

  it('has a line for each cohort with an interval that is over, and the average, and the legend hides it', async () => {
    const { page } = await open();
    await choose(page, 'Type', 'Retention');
    await event(page, 'First event', 'start');
    await show(page, 'Heat map and lines');
    const buttons = page.locator('.legend button');
    await expect.poll(() => buttons.count()).toBeGreaterThan(2);
    await buttons.first().click();
    await expect.poll(() => buttons.first().getAttribute('aria-pressed')).toBe('false');
  });

  it('leaves out unreadable parts of a link, names them, and shows the rest', async () => {
    const { page, complaints } = await open();
    const report = {
      type: 'trends',
      chart: 'number',
      period: { from: HOSTILE[0], to: 1 },
      filter: { items: HOSTILE },
      breakdown: 'x',
    };
    await openReport(page, service, report);
    await page.getByRole('alert').getByText('left out: filter, breakdown, period.').waitFor();
    expect(await form(page, 'Number').getAttribute('aria-pressed')).toBe('true');
    expect(await page.locator('.numbers strong').textContent()).toBe('12');
    expect(complaints).toEqual([]);
  });

  it('dims an answer, and dates it, while the next question is open', async () => {
    const { page } = await open();
    await choosePeriod(page, 'Today');
    await settled(page);
    const today = (await page.locator('.answer footer').first().textContent())!;
    const release = await hold(page, 'run');
    await choosePeriod(page, 'Yesterday');
    await page
      .locator('.answer[aria-busy="true"]')
      .getByText(/^These are the numbers of \d\d:\d\d:\d\d/)
      .waitFor();
    expect(await page.locator('.answer footer').first().textContent()).toBe(today);
    release();
    await settled(page);
    expect(await page.locator('.answer footer').first().textContent()).not.toBe(today);
  });

  it('keeps changes made while a save is on its way, and does not call them saved', async () => {
    const { page } = await open();
    const release = await hold(page, 'save');
    await choosePeriod(page, 'Last 90 days');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('late');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    // By the address, as the question before the save covers the page.
    await page.evaluate(
      `history.pushState(null, '', location.pathname + '?report=' + encodeURIComponent('{"period":"today"}')); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await expect.poll(() => saidBy(page, 'Period')).toBe('day so far');
    release();
    await page.getByRole('heading', { level: 1, name: 'late' }).waitFor();
    await page.getByText('Changed, not saved').waitFor();
    expect(await saidBy(page, 'Period')).toBe('day so far');
    await reports(page).click();
    await page.getByRole('link', { name: 'late', exact: true }).click();
    await expect.poll(() => saidBy(page, 'Period')).toBe('last 90 days');
  });

  it('keeps a text that is being typed while the list of saved reports loads again', async () => {
    const { page } = await open();
    await pick(chip(page, 'Filter'), /^Language/);
    const layer = page.getByRole('dialog', { name: 'Filter 1' });
    const value = layer.getByLabel('Value', { exact: true });
    await value.pressSequentially(HOSTILE[0]!);
    const listed = page.waitForResponse('**/v1/reports/list');
    await listed;
    expect(await value.inputValue()).toBe(HOSTILE[0]);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.url()).toContain('onerror');
  });
});
