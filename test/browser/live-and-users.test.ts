import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasEnded, launch, until } from '../support/broadcasts.ts';
import { axeFindings, CHROMIUM, HOSTILE } from '../support/browser.ts';
import { longOnly, longRows } from '../support/long-only.ts';
import type { TestBot, TestService } from '../support/service.ts';
import { type SendingConsole, startSendingConsole } from '../support/test-console.ts';

const LONG = 'x'.repeat(5000);
const NAME = 'y'.repeat(120);

describe.skipIf(CHROMIUM === undefined)('the pages Live and Users', () => {
  let started: SendingConsole;
  let service: TestService;
  let bot: TestBot;
  let updateId = 0;
  /** The id of a broadcast that was sent. */
  let sent: number;

  beforeAll(async () => {
    started = await startSendingConsole();
    ({ service, bot } = started);
    await meet(70_001, { first_name: HOSTILE[0]!, username: 'ada_reads', language_code: 'de' });
    await meet(70_002, { first_name: LONG, last_name: NAME });
    for (let id = 1; id <= 30; id++) await meet(id, { first_name: `Reader ${id}` });
    await post('referral/mark-referral', { referral_user_id: 5, referrer_user_id: 70_001 });
    await post('send-event', [
      { event: 'item_viewed', user_id: 70_001, category: HOSTILE[1], properties: { pages: 3 }, date: at(-50) },
      { event: LONG.slice(0, 250), user_id: 70_002, value_str: LONG.slice(0, 250), date: at(-40) },
    ]);
    await post('send-target', [{ target_id: 1, user_id: 70_001, value: 42.5, unit: 'USD', date: at(-30) }]);
    sent = await launch(service, bot, { chats: [5, 70_001], message: { text: 'hi' } });
    await until(service, sent, hasEnded);
    await service.projected();
  });
  afterAll(() => started?.stop());

  const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
  async function post(path: string, body: unknown, to = bot): Promise<void> {
    const { status, body: answer } = await service.post(`/v1/${path}`, body, { 'api-key': to.apiKey });
    expect(status, JSON.stringify(answer)).toBe(200);
  }
  const meet = (id: number, from: object, to = bot): Promise<void> => {
    const date = Math.floor(Date.now() / 1000) - 86_400;
    const text = '/start source-ads_campaign-may';
    const entities = [{ type: 'bot_command', offset: 0, length: 6 }];
    const message = {
      message_id: 1,
      date,
      chat: { id, type: 'private' },
      from: { id, is_bot: false, ...from },
      text,
      entities,
    };
    return post('send-update', { update: { update_id: ++updateId, message } }, to);
  };

  const widthOf = (page: Page) => page.evaluate('document.documentElement.scrollWidth');
  const firstEvent = (page: Page) => page.locator('.feed tbody tr').first().locator('.ev');

  it('shows events as they come, the newest first, and holds them while it is paused', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.getByRole('heading', { name: 'Live', exact: true }).waitFor();
    await expect.poll(() => firstEvent(page).textContent()).toBe('Sale');
    await post('send-event', { event: 'order_paid', user_id: 70_001, date: at(-9000) });
    await expect.poll(() => firstEvent(page).textContent()).toBe('Order paid');
    await page.locator('main').focus();
    await page.keyboard.press(' ');
    await page.getByText('Paused: 0 events wait').waitFor();
    await post('send-event', { event: 'came_later', user_id: 70_001 });
    await page.getByText('Paused: 1 event waits').waitFor();
    expect(await firstEvent(page).textContent()).toBe('Order paid');
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect.poll(() => firstEvent(page).textContent()).toBe('Came later');
    await page.getByRole('button', { name: /^Details of Came later/ }).click();
    await page.getByText('"event_name": "came_later"').waitFor();
    await page.getByRole('searchbox').fill('item viewed');
    await expect.poll(() => page.locator('.feed tbody tr').count()).toBe(1);
    await page.locator('.feed').getByRole('link').click();
    await page.getByRole('heading', { name: HOSTILE[0]! }).waitFor();
    expect(page.url()).toContain('/console/users/70001');
    expect(console.complaints).toEqual([]);
  });

  it.each([920, 1200, 1440])('cuts long names of events and people at a width of %i px', async (width) => {
    const { page } = await started.logIn(bot.apiKey, { width });
    await page.goto(`${service.address}/console/live`);
    await firstEvent(page).waitFor();
    await post('send-event', { event: 'W'.repeat(60), user_id: 70_002 });
    await expect.poll(() => firstEvent(page).textContent()).toBe('W'.repeat(60));
    const hidden = `(({ scrollWidth, parentElement }) => scrollWidth - parentElement.clientWidth)(document.querySelector('.feed'))`;
    expect(await page.evaluate(hidden)).toBeLessThanOrEqual(0);
  });

  longOnly('stops asking in a hidden tab, and asks once a second in a visible one', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/events/latest')) asked.push(request.url());
    });
    await page.goto(`${service.address}/console/live`);
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })`);
    await page.waitForTimeout(1500);
    const before = asked.length;
    await page.waitForTimeout(2500);
    expect(asked.length).toBe(before);
    expect(console.complaints).toEqual([]);
  });

  longOnly("names the bot's own errors with what to do, and none of another bot", async () => {
    await post(
      'send-event',
      [404, 405].map((user_id) => ({ event: 'level_done', user_id })),
    );
    await service.projected();
    const console = await started.logIn(bot.apiKey);
    await console.page.goto(`${service.address}/console/live`);
    const errors = console.page.getByRole('region', { name: 'Errors of your bot' });
    await errors.getByText('2 events').waitFor();
    await errors.getByText('If the person starts within 24 hours, the events count after all.').waitFor();
    await errors.getByRole('button', { name: 'See the last one' }).click();
    await console.page
      .getByRole('dialog')
      .getByText(/"user_id": 40[45]/)
      .waitFor();
    const other = await started.logIn((await service.createBot()).apiKey);
    await other.page.goto(`${service.address}/console/live`);
    await other.page.getByText('No errors within 90 days.').waitFor();
    await other.page.getByText("import { createClient } from '@botledger/client';").waitFor();
    await other.page.getByText(/^curl /).waitFor();
    expect(await other.page.getByRole('button', { name: 'Copy' }).count()).toBe(2);
    expect([...console.complaints, ...other.complaints]).toEqual([]);
  });

  longOnly('finds users by name, username and id, page by page, and Back returns to the search', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await page.getByText('1–25 of 32').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('26–32 of 32').waitFor();
    const rows = page.locator('tbody tr');
    for (const [text, found] of [
      ['reader 2', 12],
      ['@ada_', 1],
      ['7000', 2],
    ] as const) {
      await page.getByRole('searchbox').fill(text);
      await expect.poll(() => rows.count()).toBe(found);
    }
    await page.getByRole('searchbox').fill('no such name');
    await page.getByText('No user has this in the name, username or id.').waitFor();
    await page.getByRole('link', { name: 'Show all users' }).click();
    await page.getByText('1–25 of 32').waitFor();
    await page.goto(`${service.address}/console/users?find=ada_`);
    await page.locator('tbody a').click();
    await page.getByRole('heading', { name: HOSTILE[0]! }).waitFor();
    await page.goBack();
    await expect.poll(() => rows.count()).toBe(1);
    expect(console.complaints).toEqual([]);
  });

  it('shows a person on one line of time, with numbers of the API', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    await page.goto(`${service.address}/console/users/70001`);
    const line = page.getByRole('region', { name: 'What happened' });
    await line.getByText('That is all.').waitFor();
    const said = await line.locator('li p:first-child').allTextContents();
    expect(said[0]).toMatch(/^(Got Broadcast \d+|Brought 5|Came later)$/);
    for (const text of ['Brought 5', 'Sale', 'Item viewed']) expect(said).toContain(text);
    expect(await line.getByText('42.50 USD').count()).toBe(1);
    await line.getByText(`${HOSTILE[1]} · Pages: 3`).waitFor();
    await line.getByText('Delivered').waitFor();
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByText('42.50 USD').waitFor();
    await figures.getByText('1 person').waitFor();
    const profile = page.getByRole('region', { name: 'Profile' });
    for (const text of ['70001', 'German', 'ads · may']) await profile.getByText(text).waitFor();
    await page.getByRole('radio', { name: 'Messages' }).click();
    await expect.poll(() => line.locator('li').count()).toBe(1);
    await page.getByRole('radio', { name: 'All' }).click();
    await line.getByRole('link', { name: '5', exact: true }).click();
    await page.getByRole('region', { name: 'Profile' }).getByRole('link', { name: '70001' }).waitFor();
    await page.getByRole('button', { name: 'Write to Reader 5' }).click();
    await page
      .getByRole('heading', { name: /Broadcast/ })
      .first()
      .waitFor();
    expect(page.url()).toMatch(/broadcasts/);
    expect(console.complaints).toEqual([]);
  });

  longOnly('leads from an id in a report, behind a number and among recipients to the person', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    const report = (state: object): string => `reports?report=${encodeURIComponent(JSON.stringify(state))}`;
    const metrics = [{ event: 100, name: 'Sale', agr: 'total' }];
    for (const path of [
      report({ type: 'list', chart: 'list', list: { columns: ['events.user_id'], limit: 50 } }),
      report({ chart: 'number', metrics }),
      `broadcasts?id=${sent}`,
    ]) {
      await page.goto(`${service.address}/console/${path}`);
      if (path.includes('number')) await page.locator('.answer').getByRole('button', { name: /^1:/ }).first().click();
      await page.locator('a[href*="/users/70001"]').first().click();
      await page.getByRole('region', { name: 'Profile' }).waitFor();
      expect(page.url(), path).toContain('/console/users/70001');
    }
    expect(console.complaints).toEqual([]);
  });

  it.each(['999', ...longRows(['0', 'x', '99999999999999999'])])('says that there is no user %s', async (id) => {
    const { page } = await started.logIn(bot.apiKey);
    await page.goto(`${service.address}/console/users/${id}`);
    await page.getByRole('heading', { name: `There is no user ${id}` }).waitFor();
    expect(await page.getByRole('region', { name: 'Figures' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Show all users' }).click();
    await page.getByText('1–25 of 32').waitFor();
  });

  it.each([
    ...longRows([
      { dark: false, width: 1280 },
      { dark: true, width: 1280 },
      { dark: false, width: 360 },
    ]),
    { dark: true, width: 360 },
  ])('has no axe finding and fits with long and hostile names (%j)', async (options) => {
    const console = await started.logIn(bot.apiKey, options);
    const { page } = console;
    for (const path of ['live', 'users', 'users?find=7000', 'users/70001', 'users/70002', 'users/999']) {
      await page.goto(`${service.address}/console/${path}`);
      const waits = page.locator('[aria-busy="true"]').or(page.getByText('Loading…'));
      await page.locator('h1').waitFor();
      await expect.poll(() => waits.filter({ visible: true }).count()).toBe(0);
      expect.soft(await axeFindings(page), path).toEqual([]);
      expect.soft(await widthOf(page), path).toBeLessThanOrEqual(options.width);
    }
    expect(console.complaints.filter((each) => !each.includes('404'))).toEqual([]);
  });
});
