import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, CHROMIUM, HOSTILE, type PageOptions, shoot } from '../../support/browser.ts';
import { openReport as open, pick } from '../../support/report-page.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const USERS = 8;
const BUYERS = 3;

describe.skipIf(CHROMIUM === undefined)('the console leads from a number to its users', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;
  let buy: number;
  const key = (): Record<string, string> => ({ 'api-key': bot.apiKey });

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot();
    const at = (hour: number): string => `${DAY}T0${hour}:00:00.000Z`;
    for (let id = 1; id <= USERS; id++) {
      const from = {
        id,
        is_bot: false,
        first_name: HOSTILE[id % HOSTILE.length],
        last_name: `L${id}`,
        language_code: id === 1 ? 'de' : 'en',
      };
      const message = {
        message_id: id,
        date: Date.parse(at(1)) / 1000,
        chat: { id, type: 'private' },
        from,
        text: '/start',
      };
      expect((await service.post('/v1/send-update', { update: { update_id: id, message } }, key())).status).toBe(200);
    }
    const bought = Array.from({ length: BUYERS }, (_, i) => {
      return { event: 'buy', user_id: i + 1, date: at(2), category: HOSTILE[i], value_num: 5 };
    });
    expect((await service.post('/v1/send-event', bought, key())).status).toBe(200);
    await service.projected();
    const { body } = await service.get('/v1/reports/events', key());
    buy = body.data.items.find(({ name }: { name: string }) => name === 'buy').event_id;
  });
  afterAll(() => started.stop());

  const start = { event: 1, name: 'start', agr: 'total' };
  const bought = (agr = 'total') => ({ event: buy, name: 'buy', agr });

  const openReport = (page: Page, state: object): Promise<void> =>
    open(page, service, { period: { from: DAY, to: DAY }, ...state });

  async function openUsers(page: Page, name: RegExp): Promise<string> {
    await page.locator('.answer').getByRole('button', { name }).first().click();
    const dialog = page.getByRole('dialog', { name: 'People behind this number' });
    await dialog.locator('strong').waitFor();
    return (await dialog.locator('strong').textContent())!;
  }

  const logIn = (options?: PageOptions) => started.logIn(bot.apiKey, options);

  it('from a step of a funnel to a draft whose list has as many users', async () => {
    const { page, complaints } = await logIn();
    await openReport(page, { type: 'funnels', metrics: [start, bought()] });
    expect(await openUsers(page, /^5: show the people of after Start, before Buy$/)).toBe('5 people');
    await shoot(page, 'users');
    const rows = page.getByRole('dialog').locator('tbody tr');
    expect(await rows.count()).toBe(USERS - BUYERS);
    expect(await rows.first().textContent()).toContain(HOSTILE[4]!);
    await page.getByRole('button', { name: 'Write to these people' }).click();
    await page.waitForURL(/\/console\/broadcasts\?bot=.*&id=\d+/);
    const id = Number(new URL(page.url()).searchParams.get('id'));
    const { body } = await service.get(`/v1/broadcast/get?id=${id}`, key());
    expect(body.data).toMatchObject({ status: 0, type: 'sendMessage', name: 'after Start, before Buy' });
    const { segment_id } = body.data.segmentations.include[0].config;
    const { rows: chats } = await service.database.pool.query(
      'SELECT chat_id::int FROM broadcasts_v1.segment_chats WHERE segment_id = $1 ORDER BY chat_id',
      [segment_id],
    );
    expect(chats.map(({ chat_id }) => chat_id)).toEqual([4, 5, 6, 7, 8]);
    expect(complaints).toEqual([]);
  });

  it('from a number of every type of report', async () => {
    const { page, complaints } = await logIn();
    const cases: [object, RegExp, string][] = [
      [{ chart: 'line', metrics: [bought()] }, /^3: show the people of Buy/, '3 people'],
      [{ chart: 'number', metrics: [bought('total_uniq_user_id')] }, /^3: /, '3 people'],
      [{ chart: 'pie', metrics: [start], breakdown: ['user.language_code'] }, /^1: .*German$/, '1 person'],
      [{ chart: 'table', metrics: [bought()], breakdown: ['events.category'] }, /script/, '1 person'],
      [{ type: 'utm', chart: 'utm_table', metrics: [bought()] }, /^3: /, '3 people'],
      [{ type: 'funnels', metrics: [start, bought()] }, /^8: .*reached$/, '8 people'],
      [{ type: 'retention', metrics: [start, bought()] }, /returned in same day$/, '3 people'],
      [{ type: 'retention', metrics: [start, bought()] }, /^8: .*started on/, '8 people'],
      [{ type: 'list' }, /People of these rows/, '8 people'],
    ];
    for (const [state, name, count] of cases) {
      await openReport(page, state);
      expect(await openUsers(page, name), JSON.stringify(state)).toBe(count);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(complaints).toEqual([]);
  });

  it('by keyboard, and back to the number', async () => {
    const { page } = await logIn();
    await openReport(page, { type: 'funnels', metrics: [start, bought()] });
    const number = page.locator('.answer').getByRole('button', { name: /^3: / }).first();
    await number.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('3 people').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.ariaLabel')).toMatch(/^3: show the people/);
  });

  it('offers fields of users in filters and breakdowns', async () => {
    const { page } = await logIn();
    await openReport(page, { chart: 'table', metrics: [{ ...start, agr: 'total_uniq' }] });
    await pick(page.getByRole('button', { name: /^Split by: / }), /^Language/);
    await page.locator('.answer').getByRole('button', { name: /^7: / }).waitFor();
    expect(await page.locator('.answer').textContent()).toContain('German');
  });

  it.each([false, true])('without an axe finding, whole at 360 px (dark: %s)', async (dark) => {
    const { page } = await logIn({ dark, width: 360 });
    await openReport(page, { type: 'funnels', metrics: [start, bought()], breakdown: ['user.language_code'] });
    expect(await axeFindings(page)).toEqual([]);
    await openUsers(page, /reached/);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await shoot(page, `users-360-${dark ? 'dark' : 'light'}`);
  });
});
