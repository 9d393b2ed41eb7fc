import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeKey } from '../../src/commands/catalog/keys.ts';
import { axeFindings, CHROMIUM, type ConsolePage, giveKey, HOSTILE, type PageOptions } from '../support/browser.ts';
import { longOnly, longRows } from '../support/long-only.ts';
import {
  choose,
  chooseEvent,
  choosePeriod,
  form,
  openReport as open,
  saidBy,
  save,
  settled,
} from '../support/report-page.ts';
import type { TestBot, TestService } from '../support/service.ts';
import { startConsole, type TestConsole } from '../support/test-console.ts';

const PRICE = '123456789012345.123456';
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

describe.skipIf(CHROMIUM === undefined)('the console shows reports', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;
  const events = new Map<string, number>();

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot();
    await fill();
  });
  afterAll(() => started.stop());

  /** Ten users by language, three of them buyers; amounts beyond the precision of a float; names that are script. */
  async function fill(): Promise<void> {
    const key = { 'api-key': bot.apiKey };
    const at = (hour: number): string => `${DAY}T${String(hour).padStart(2, '0')}:00:00.000Z`;
    const updates = Array.from({ length: 10 }, (_, i) => ({
      update_id: i + 1,
      message: {
        message_id: i + 1,
        date: Date.parse(at(1)) / 1000,
        chat: { id: i + 1, type: 'private' },
        from: { id: i + 1, is_bot: false, first_name: HOSTILE[i % HOSTILE.length], language_code: i < 7 ? 'en' : 'de' },
        text: '/start',
      },
    }));
    for (const update of updates) expect((await service.post('/v1/send-update', { update }, key)).status).toBe(200);
    // As text: no float has these digits.
    const bought = [1, 2, 3].map(
      (user_id) => `{"event":"buy","user_id":${user_id},"date":"${at(2)}","value_num":${PRICE}}`,
    );
    expect((await service.post('/v1/send-event', `[${bought}]`, key)).status).toBe(200);
    const sent = [
      ...HOSTILE.map((event, i) => ({ event, user_id: i + 1, category: event, value_str: event, date: at(3) })),
    ];
    expect((await service.post('/v1/send-event', sent, key)).status).toBe(200);
    await service.projected();
    const { body } = await service.get('/v1/reports/events', key);
    for (const { name, event_id } of body.data.items) events.set(name, event_id);
  }

  async function show(page: Page): Promise<void> {
    const menu = page.getByRole('button', { name: 'Menu' });
    if (await menu.isVisible()) await menu.click();
    await page.getByRole('link', { name: 'Reports', exact: true }).click();
    await page.getByRole('link', { name: 'New report' }).first().click();
  }
  async function opened(apiKey = bot.apiKey, options?: PageOptions): Promise<ConsolePage> {
    const console = await started.logIn(apiKey, options);
    await show(console.page);
    return console;
  }

  const openReport = (page: Page, state: object): Promise<void> =>
    open(page, service, { period: { from: DAY, to: DAY }, ...state });

  /** The cells of the first table of the answer. */
  const cells = (page: Page): Promise<string[][]> =>
    page
      .locator('.answer table')
      .first()
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('th, td')].map((c) => c.textContent!.trim())));

  const metric = (name: string, agr = 'total'): object => ({ event: events.get(name) ?? null, name, agr });

  it('refuses a wrong key in words, logs in with a right one, and out', async () => {
    const { page, complaints } = await started.browser.open();
    await page.goto(`${service.address}/console`);
    await page.getByLabel('API key').fill('wrong:key');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText('API key invalid').waitFor();
    await giveKey(page, bot.apiKey);
    await page.locator('[data-figure="active"]').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.evaluate('JSON.stringify([localStorage.length, sessionStorage.length])')).toBe('[0,0]');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.goto(`${service.address}/console/reports`);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(complaints).toEqual([]);
  });

  describe('of every type, with the numbers of the API', () => {
    let console: ConsolePage;
    beforeAll(async () => {
      console = await opened();
    });

    it.each([
      ['lines', { chart: 'line', metrics: [metric('buy')] }],
      ['areas', { chart: 'area', metrics: [metric('buy', 'total_uniq_user_id')] }],
      ['bars', { chart: 'bar', metrics: [metric('buy')] }],
    ])('%s', async (_, state) => {
      // The ids are known only now.
      const metrics = (state.metrics as { name: string; agr: string }[]).map(({ name, agr }) => metric(name, agr));
      await openReport(console.page, { ...state, metrics });
      expect((await cells(console.page)).map((row) => row[1])).toEqual(['3']);
      expect(await console.page.locator('.chart canvas').count()).toBe(1);
    });

    it('a table, broken down, and filtered', async () => {
      const filter = { join: 'and', items: [{ field: 'user.language_code', operator: '=', value: 'de' }] };
      await openReport(console.page, {
        chart: 'table',
        metrics: [metric('start', 'total_uniq')],
        breakdown: ['user.language_code'],
      });
      expect((await cells(console.page)).map((row) => row.slice(-2))).toEqual(
        [
          ['English', '7'],
          ['German', '3'],
        ].map((row) => expect.arrayContaining(row)),
      );
      await openReport(console.page, { chart: 'table', metrics: [metric('start', 'total_uniq')], filter });
      expect((await cells(console.page)).map((row) => row.at(-1))).toEqual(['3']);
    });

    it('an amount with all its digits', async () => {
      const sum = { ...metric('buy', 'property_sum'), field: 'events.value_int' };
      await openReport(console.page, { chart: 'number', metrics: [sum] });
      const shown = await console.page.locator('.numbers strong').textContent();
      expect(shown).toBe('370,370,367,037,035.370368');
    });

    it('a funnel', async () => {
      await openReport(console.page, { type: 'funnels', metrics: [metric('start'), metric('buy')] });
      const rows = await cells(console.page);
      expect(rows.map((row) => row.slice(0, 3))).toEqual([
        ['1. Start', '10', '100\u2009%'],
        ['2. Buy', '3', '30.0\u2009%'],
      ]);
    });

    it('a retention: cells that run are marked, those that have not begun are empty, the average has neither', async () => {
      await openReport(console.page, { type: 'retention', metrics: [metric('start'), metric('buy')] });
      const [average, row] = await cells(console.page);
      expect(average!.slice(0, 4)).toEqual(['Average', '10', '30.0\u2009%', '–']);
      expect(row!.slice(1, 3)).toEqual(['10', '30.0\u2009%']);
      expect(row![3]).toBe('0\u2009% not over yet');
      expect(row!.at(-1)).toBe('');
    });

    it('a list', async () => {
      const list = { columns: ['events.user_id', 'events.value_int'], limit: 50 };
      const filter = {
        join: 'and',
        items: [{ field: 'events.event_type_id', operator: '=', value: events.get('buy') }],
      };
      await openReport(console.page, { type: 'list', list, filter });
      expect((await cells(console.page)).sort()).toEqual(
        [1, 2, 3].map((user) => [`${user}`, '123,456,789,012,345.123456']),
      );
    });

    it('campaigns', async () => {
      await openReport(console.page, { type: 'utm', chart: 'utm_table', metrics: [metric('start')] });
      expect((await cells(console.page)).map((row) => row.at(-1))).toEqual(['10']);
    });

    afterAll(() => expect(console.complaints).toEqual([]));
  });

  it('a report is built by hand, Back undoes, a reload keeps, a link shares, and it is saved and opened', async () => {
    const { page, complaints } = await opened();
    await chooseEvent(page, 'Event 1', 'Buy');
    await choose(page, 'Counted as', 'times');
    await choosePeriod(page, 'Last 7 days');
    await expect.poll(async () => (await cells(page)).map((row) => row[1]).join()).toContain('3');
    await form(page, 'Columns').click();
    await expect.poll(() => form(page, 'Columns').getAttribute('aria-pressed')).toBe('true');
    await page.goBack();
    await expect.poll(() => form(page, 'Lines').getAttribute('aria-pressed')).toBe('true');
    await page.reload();
    await expect.poll(() => saidBy(page, 'Event 1')).toBe('Buy');

    const shared = await page.context().newPage();
    await shared.goto(page.url());
    await expect.poll(async () => (await cells(shared)).map((row) => row[1]).join()).toContain('3');

    await save(page, HOSTILE[0]!);
    await page.getByRole('heading', { level: 1, name: HOSTILE[0]! }).waitFor();
    expect(await page.title()).toContain(HOSTILE[0]);
    await page.getByRole('main').getByRole('link', { name: 'Reports', exact: true }).click();
    await page.getByRole('link', { name: 'New report' }).click();
    await expect.poll(() => saidBy(page, 'Event 1')).toBe('Any event');
    await page.getByRole('main').getByRole('link', { name: 'Reports', exact: true }).click();
    await page.getByRole('link', { name: HOSTILE[0]! }).click();
    await expect.poll(() => saidBy(page, 'Event 1')).toBe('Buy');
    expect(complaints).toEqual([]);
  });

  it('says in words what the service refuses', async () => {
    const { page } = await opened();
    const state = { filter: { join: 'and', items: [{ field: 'events.nothing', operator: '=', value: 1 }] } };
    await page.goto(`${service.address}/console/reports?report=${encodeURIComponent(JSON.stringify(state))}`);
    await page.getByRole('alert').getByText('unknown field (at source_request.filters.1)').waitFor();
  });

  it.each(['garbage', '{"type":"nothing"}', '5'])(
    'says that the report of a link cannot be read: %s',
    async (report) => {
      const { page, complaints } = await opened();
      await page.goto(`${service.address}/console/reports?report=${encodeURIComponent(report)}`);
      await page.getByRole('alert').getByText('could not be read').waitFor();
      await choosePeriod(page, 'Today');
      await page.getByRole('alert').waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
    },
  );

  it('by hour: hours still ahead are empty, midnight has its hour, and lines are named', async () => {
    const { page, complaints } = await opened();
    await openReport(page, { period: 'today', granularity: 'hour', compare: true });
    await page.getByText(/^The period before: /).waitFor();
    await page.locator('.legend').getByText('Any event', { exact: true }).waitFor();
    const rows = await cells(page);
    // The current hour says until when it goes.
    expect(rows.at(-1)![0]).toMatch(/, 00:00( until 00:\d\d)?$/);
    // All but the hours of the day that have begun.
    expect(rows.filter(([, value]) => value !== '–').length).toBeLessThanOrEqual(new Date().getUTCHours() + 1);
    expect(complaints).toEqual([]);
  });

  longOnly('shows script in names as text, on every type of report', async () => {
    const console = await opened();
    for (const name of HOSTILE)
      await openReport(console.page, { metrics: [{ event: events.get(name), name, agr: 'total' }], chart: 'line' });
    await openReport(console.page, { chart: 'table', metrics: [metric('all')], breakdown: ['events.category'] });
    expect(await console.page.locator('.answer').textContent()).toContain(HOSTILE[0]);
    await openReport(console.page, {
      type: 'list',
      list: { columns: ['user.first_name', 'events.value_str'], limit: 50 },
    });
    expect(await console.page.locator('.answer').textContent()).toContain(HOSTILE[1]);
    expect(console.complaints).toEqual([]);
  });

  it.each([false, ...longRows([true])])('has no axe finding (dark: %s)', async (dark) => {
    const { page } = await started.browser.open({ dark });
    await page.goto(`${service.address}/console`);
    await page.getByLabel('API key').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await giveKey(page, bot.apiKey);
    for (const state of [
      { metrics: [metric('buy')], breakdown: ['user.language_code'] },
      { chart: 'pie', metrics: [metric('buy')] },
      { type: 'funnels', metrics: [metric('start'), metric('buy')] },
      { type: 'retention', metrics: [metric('start'), metric('buy')] },
      { type: 'list' },
    ]) {
      await openReport(page, state);
      expect(await axeFindings(page), JSON.stringify(state)).toEqual([]);
    }
  });

  it('fits a page of 360 px', async () => {
    const { page } = await opened(bot.apiKey, { width: 360 });
    await openReport(page, { type: 'retention', metrics: [metric('start'), metric('buy')] });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });

  it("a proxy's page instead of an answer is an error, and its retry works", async () => {
    const { page } = await started.logIn(bot.apiKey);
    await page.route('**/v1/reports/run', (route) => route.fulfill({ status: 200, body: '<html>' }));
    await show(page);
    const alert = page.locator('.answer').getByRole('alert').filter({ hasText: 'The service did not answer.' });
    await alert.first().waitFor();
    await page.unroute('**/v1/reports/run');
    await alert.first().getByRole('button').click();
    await settled(page);
    expect(await alert.count()).toBe(0);
  });

  it('a revoked key throws out', async () => {
    const other = await service.createBot();
    const { page } = await opened(other.apiKey);
    const { rows } = await service.database.pool.query('SELECT key_id::int FROM catalog_v1.keys WHERE owner_id = $1', [
      other.ownerId,
    ]);
    await revokeKey(service.commands, { ownerId: other.ownerId, keyId: rows[0].key_id });
    await service.projected();
    await expect
      .poll(async () => {
        await page
          .getByRole('button', { name: 'Compare' })
          .or(page.getByRole('button', { name: 'Do not compare' }))
          .click({ timeout: 1000 })
          .catch(() => {});
        return page.getByRole('heading', { name: 'Log in' }).count();
      })
      .toBe(1);
  });

  it("another owner's bot is not to be had by its address", async () => {
    const other = await service.createBot();
    const { page } = await opened();
    await page.goto(`${service.address}/console/reports?bot=${other.publicKey}`);
    await page.getByText('There is no such bot').waitFor();
    await page.getByRole('button', { name: 'Bot: Choose a bot' }).waitFor();
    const answer = await page.evaluate(
      `fetch('/v1/reports/events', { headers: { 'resource-key': '${other.publicKey}' } }).then((r) => r.status)`,
    );
    expect(answer).toBe(403);
  });
});
