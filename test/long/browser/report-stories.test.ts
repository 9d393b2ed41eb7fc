import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { CHROMIUM, type ConsolePage, HOSTILE } from '../../support/browser.ts';
import { aKey } from '../../support/catalog.ts';
import {
  chip,
  choose,
  chooseEvent,
  form,
  openReport as openState,
  pick,
  saidBy,
  save,
  settled,
} from '../../support/report-page.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

const DAY_MS = 86_400_000;
const day = (daysAgo: number): string => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
const PERIOD = { from: day(3), to: day(1) };
const LONG = 'n'.repeat(120);
const LONGER = 'x'.repeat(5000);

describe.skipIf(CHROMIUM === undefined)('a report', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;
  const ids = new Map<string, number>();
  const key = () => ({ 'api-key': bot.apiKey });

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot();
    // Of a second bot the same names have other ids.
    const sent = (of: TestBot, events: readonly object[]) =>
      service.post('/v1/send-event', events, { 'api-key': of.apiKey });
    for (let user = 1; user <= 4; user++) {
      const from = { id: user, is_bot: false, first_name: user === 1 ? LONG : LONGER, language_code: 'en' };
      const date = Date.parse(`${day(6)}T09:00:00Z`) / 1000;
      const message = { message_id: user, date, chat: { id: user, type: 'private' }, from, text: '/start' };
      expect((await service.post('/v1/send-update', { update: { update_id: user, message } }, key())).status).toBe(200);
    }
    const at = (daysAgo: number) => `${day(daysAgo)}T10:00:00.000Z`;
    const bought = [
      ...[5, 4, 4].map((ago, i) => ({ event: 'order_paid', user_id: 1 + (i % 2), date: at(ago), value_num: 10 })),
      ...[3, 2, 2, 1, 1, 1].map((ago, i) => ({
        event: 'order_paid',
        user_id: 1 + (i % 3),
        date: at(ago),
        value_num: 10,
      })),
      { event: 'cart_filled', user_id: 1, date: at(2), category: LONG },
      { event: 'cart_filled', user_id: 2, date: at(2) },
      { event: 'n'.repeat(60), user_id: 2, date: at(2) },
    ];
    expect(await sent(bot, bought)).toMatchObject({ status: 200 });
    await service.projected();
    const { body } = await service.get('/v1/reports/events', key());
    for (const { name, event_id } of body.data.items) ids.set(name, event_id);
  });
  afterAll(() => started.stop());

  const metric = (name: string, agr = 'total') => ({ event: ids.get(name) ?? null, name, agr });
  const open = async (state: object, width?: number): Promise<ConsolePage> => {
    const console = await started.logIn(bot.apiKey, width === undefined ? {} : { width });
    await openState(console.page, service, { period: PERIOD, ...state });
    return console;
  };
  const cells = (page: Page): Promise<string[][]> =>
    page
      .locator('.answer table')
      .first()
      .locator('tr')
      .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('th, td')].map((c) => c.textContent!.trim())));

  it('is compared in the legend, the table and the CSV, with difference and per cent', async () => {
    const { page } = await open({ metrics: [metric('order_paid')], compare: true });
    expect(await page.locator('.legend.totals').textContent()).toBe('Order paid6▲ 100\u2009% from 3');
    const table = await cells(page);
    expect(table[0]!.slice(1)).toEqual(['Order paid, times', 'before', 'change']);
    expect(table.slice(1, 4).map((row) => row.slice(1))).toEqual([
      ['3', '2', '▲ 50.0\u2009%'],
      ['2', '1', '▲ 100\u2009%'],
      ['1', '0', '–'],
    ]);
    const waited = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const download = await waited;
    expect(download.suggestedFilename()).toBe(`New report, ${PERIOD.from} to ${PERIOD.to}, compared.csv`);
    const rows = parse(await readFile(await download.path()));
    expect(rows[0]!.slice(2)).toEqual(
      ['', ', before', ', difference', ', change in %'].map((end) => `Order paid, times${end}`),
    );
    expect(rows.slice(1).map((row: string[]) => row.slice(2))).toEqual([
      ['1', '0', '1', ''],
      ['2', '1', '1', '100'],
      ['3', '2', '1', '50'],
    ]);
  });

  it('compares today with yesterday by the same time, by the clock of the service', async () => {
    const { page } = await started.logIn(bot.apiKey);
    const asked: Record<string, string>[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/reports/run')) asked.push(request.postDataJSON().report_config.settings.params);
    });
    // A browser whose clock is two days ahead.
    await page.clock.setFixedTime(Date.now() + 2 * DAY_MS);
    await openState(page, service, { period: 'today', metrics: [metric('order_paid')], compare: true });
    const [ahead, today, before] = asked as [Record<string, string>, Record<string, string>, Record<string, string>];
    expect(ahead[':date_from']).toBe(`${day(-2)} 00:00:00`);
    expect(today).toEqual({ ':date_from': `${day(0)} 00:00:00`, ':date_to': `${day(0)} 23:59:59` });
    expect(before[':date_from']).toBe(`${day(1)} 00:00:00`);
    const end = Date.parse(`${before[':date_to']!.replace(' ', 'T')}Z`) + DAY_MS;
    expect(Math.abs(end - Date.now())).toBeLessThan(60_000);
  });

  it('names what each line counts where they differ, also in a table of totals', async () => {
    const { page } = await open({
      chart: 'table',
      metrics: ['total', 'total_uniq', 'avg', 'median'].map((agr) => metric('order_paid', agr)),
    });
    expect((await cells(page)).slice(1).map(([name]) => name)).toEqual(
      ['times', 'people', 'times a person, average', 'times a person, median'].map(
        (counted) => `Order paid, ${counted}`,
      ),
    );
  });

  it('keeps a sum that a table does not have, and says so', async () => {
    const { page } = await open({ metrics: [{ ...metric('order_paid', 'property_sum'), field: 'events.value_int' }] });
    await form(page, 'Table').press('Enter');
    await page
      .getByRole('status')
      .getByText(/^A table of totals counts times and people/)
      .waitFor();
    expect(await form(page, 'Lines').getAttribute('aria-pressed')).toBe('true');
    expect(await page.locator('.legend.totals b').textContent()).toBe('60');
  });

  it('says which steps retention leaves out, and leads back to them', async () => {
    const steps = ['order_paid', 'cart_filled', 'start'].map((name) => metric(name));
    const { page } = await open({ type: 'funnels', metrics: steps });
    await choose(page, 'Type', 'Retention');
    await page.getByRole('status').getByText('Left out: Start.').waitFor();
    await page.getByRole('button', { name: 'Back to the funnel' }).click();
    await expect.poll(() => chip(page, 'Step 3').count()).toBe(1);
  });

  it('does not ask a condition that has no value yet, and takes a date by the calendar', async () => {
    const { page } = await open({ metrics: [metric('order_paid')] });
    await pick(chip(page, 'Filter'), /^Category/);
    await settled(page);
    expect(await page.locator('.legend.totals b').textContent()).toBe('6');
    await page.getByRole('button', { name: 'Remove Filter 1' }).click();
    await pick(chip(page, 'Filter'), /^Time events.date/);
    const layer = page.getByRole('dialog', { name: 'Filter 1' });
    await pick(layer.getByRole('button', { name: /^Operator: / }), 'is from');
    await layer.getByLabel('Value', { exact: true }).fill(`${day(1)}T00:00:00`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.legend.totals b').textContent()).toBe('3');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Time');
  });

  it('is saved, named in the title, changed, renamed, and deleted; its link then says so', async () => {
    const { page, complaints } = await open({ metrics: [metric('order_paid')] });
    await save(page, 'Orders');
    await expect.poll(() => page.title()).toMatch(/^Orders · /);
    const link = page.url();
    expect(link).toMatch(/\/reports\/[0-9a-f-]{36}\?bot=/);
    await choose(page, 'Counted as', 'people');
    await page.getByText('Changed, not saved').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/^Saved [A-Z]/).waitFor();
    const more = page.getByRole('button', { name: 'More', exact: true });
    await more.click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Buyers');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 1, name: 'Buyers' }).waitFor();
    const { items } = (await service.get('/v1/reports/list', key())).body.data;
    expect(items[0]).toMatchObject({ name: 'Buyers' });
    expect(items[0].report_config.source_request.requests[0].agr).toBe('total_uniq_user_id');
    await more.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('More');
    await more.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    expect((await service.get('/v1/reports/list', key())).body.data.items).toEqual([]);
    await page.goto(link);
    await page.getByText('There is no such saved report').waitFor();
    expect(complaints).toEqual([]);
  });

  it('that the form cannot show opens as its result, with the reason', async () => {
    const source_request = { type: 'list', type_chart: 'list', table: 'users', columns: ['user.user_id'], limit: 2 };
    const settings = { params: { ':date_from': '2020-01-01 00:00:00', ':date_to': '2030-01-01 00:00:00' } };
    const body = { name: 'All people', report_config: { source_request, settings } };
    const { uuid } = (await service.post('/v1/reports/save', body, key())).body.data;
    await service.projected();
    const { page } = await started.logIn(bot.apiKey);
    await page.goto(`${service.address}/console/reports/${uuid}`);
    await page.getByText(/^The form cannot show this report: it has .*a list of people/).waitFor();
    await settled(page);
    expect((await cells(page)).slice(1)).toHaveLength(2);
    expect(await page.locator('.question').count()).toBe(0);
    expect((await service.post('/v1/reports/delete', { uuid }, key())).status).toBe(200);
  });

  it('is asked of another bot too, by the names of its events', async () => {
    const made = await createBot(service.commands, { ownerId: bot.ownerId, name: 'Other', timezone: 'UTC' });
    const { apiKey } = await aKey(service.commands, bot.ownerId, 'all', { kind: 'owner' });
    await service.projected();
    const headers = { 'api-key': apiKey, 'resource-key': made.publicKey };
    const at = `${day(1)}T10:00:00.000Z`;
    // Here the id of the first bot's orders is another event's.
    const events = ['first', 'second', 'order_paid'].map((event) => ({ event, user_id: 9, date: at }));
    expect(await service.post('/v1/send-event', events, headers)).toMatchObject({ status: 200 });
    await service.projected();
    const { page } = await started.logIn(apiKey);
    const report = JSON.stringify({ period: PERIOD, metrics: [metric('order_paid')] });
    await page.goto(`${service.address}/console/reports/new?bot=${bot.publicKey}&report=${encodeURIComponent(report)}`);
    await settled(page);
    await page
      .getByRole('button', { name: /^Bot: / })
      .first()
      .click();
    await page.getByRole('option', { name: /^Other/ }).click();
    await expect.poll(() => page.url()).toContain(made.publicKey);
    await settled(page);
    await expect.poll(() => saidBy(page, 'Event 1')).toBe('Order paid');
    const { items } = (await service.get('/v1/reports/events', headers)).body.data;
    const own = items.find(({ name }: { name: string }) => name === 'order_paid').event_id;
    await expect.poll(() => new URL(page.url()).searchParams.get('report')).toContain(`"event":${own},`);
  });

  it('of a frozen service dims and dates the old numbers, then says that it waits, then that there is no answer', async () => {
    const { page } = await open({ metrics: [metric('order_paid')] });
    await page.clock.install();
    await page.route('**/v1/reports/run', () => {});
    await choose(page, 'Counted as', 'people');
    await page.locator('.answer[aria-busy="true"]').waitFor();
    await page.clock.runFor(300);
    await page.getByText(/^These are the numbers of \d\d:\d\d:\d\d/).waitFor();
    expect(await page.getByText('Still counting…').count()).toBe(0);
    await page.clock.runFor(3000);
    await page.getByText('Still counting…').waitFor();
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.answer > .card')).opacity`)).toBe('0.6');
    await page.clock.runFor(25_000);
    await page.locator('.answer').getByRole('alert').getByText('The service did not answer.').waitFor();
    expect(await page.locator('.answer > .card').count()).toBe(0);
  });

  it.each([360, 1280])('cuts long names: at %i px no name widens the page', async (width) => {
    const { page, complaints } = await open(
      { metrics: [metric('cart_filled'), metric('n'.repeat(60))], breakdown: ['user.first_name'] },
      width,
    );
    const states = [
      { metrics: [metric('cart_filled'), metric('n'.repeat(60))], breakdown: ['user.first_name'], chart: 'number' },
      { metrics: [metric('cart_filled')], breakdown: ['user.first_name'], chart: 'pie' },
      { metrics: [metric('cart_filled')], breakdown: ['user.first_name'], chart: 'table' },
      { type: 'funnels', metrics: [metric('cart_filled'), metric('n'.repeat(60))], breakdown: ['user.first_name'] },
      { type: 'retention', metrics: [metric('cart_filled'), metric('n'.repeat(60))], breakdown: ['user.first_name'] },
      { type: 'list', list: { columns: ['user.first_name', 'events.category'], limit: 50 } },
      { filter: { join: 'and', items: [{ field: 'events.category', operator: '=', value: LONGER }] } },
    ];
    const widthOf = () => page.evaluate('document.documentElement.scrollWidth');
    expect(await widthOf()).toBeLessThanOrEqual(width);
    for (const state of states) {
      await openState(page, service, { period: PERIOD, ...state });
      expect(await widthOf(), JSON.stringify(state).slice(0, 80)).toBeLessThanOrEqual(width);
    }
    await page.getByRole('button', { name: /^Filter 1: / }).click();
    expect(await widthOf()).toBeLessThanOrEqual(width);
    expect(complaints).toEqual([]);
  });

  it('leads to the people behind a number, as CSV and to their pages; a list names its events', async () => {
    const { page, complaints } = await open({ type: 'list', period: { from: day(2), to: day(2) } });
    await expect.poll(async () => (await cells(page)).slice(1).map((row) => row[2])).toContain('Order paid');
    await page.getByRole('button', { name: 'People of these rows' }).click();
    const drawer = page.getByRole('dialog', { name: 'People behind this number' });
    const waited = page.waitForEvent('download');
    await drawer.getByRole('button', { name: 'CSV' }).click();
    const rows = parse(await readFile(await (await waited).path()));
    expect(
      rows
        .slice(1)
        .map((row: string[]) => row[0])
        .sort(),
    ).toEqual(['1', '2', '3']);
    await drawer.getByRole('link', { name: '1', exact: true }).click();
    await expect.poll(() => page.url()).toContain('/console/users/1?');
    expect(complaints).toEqual([]);
  });

  it('keeps hostile text of a saved name as text', async () => {
    const { page, complaints } = await open({ metrics: [metric('order_paid')] });
    await save(page, HOSTILE[1]!);
    await page.getByRole('heading', { level: 1, name: HOSTILE[1]! }).waitFor();
    await chooseEvent(page, 'Event 1', 'Cart filled');
    await expect.poll(() => saidBy(page, 'Event 1')).toBe('Cart filled');
    expect(complaints).toEqual([]);
  });
});
