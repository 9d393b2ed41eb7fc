import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SYSTEM_EVENTS } from '../../src/domain/intake/system-events.ts';
import { axeFindings, CHROMIUM, HOSTILE, logInWith } from '../support/browser.ts';
import { longOnly, longRows } from '../support/long-only.ts';
import { operate } from '../support/operate.ts';
import type { TestBot, TestService } from '../support/service.ts';
import { startConsole, type TestConsole } from '../support/test-console.ts';

const NOW = new Date();
/** Where it is about noon now, so that today and yesterday have hours before and behind it. */
const WEST = NOW.getUTCHours() - 12;
const ZONE = WEST === 0 ? 'UTC' : `Etc/GMT${WEST > 0 ? '+' : ''}${WEST}`;
const NOON = Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth(), NOW.getUTCDate(), NOW.getUTCHours());
const HOUR = 3_600_000;
/** Hours from noon of the bot's day, which the zone puts within this hour. */
const at = (hours: number): string => new Date(NOON + hours * HOUR).toISOString();
const PRICE = '1234567890123.45';

describe.skipIf(CHROMIUM === undefined)('the dashboard', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot({ timezone: ZONE, token: '1:a' });
    await fill();
  });
  afterAll(() => started.stop());

  const key = () => ({ 'api-key': bot.apiKey });
  async function post(path: string, body: unknown): Promise<{ readonly data: Record<string, never> }> {
    const { status, body: answer } = await service.post(`/v1/${path}`, body, key());
    expect({ path, status, answer }).toMatchObject({ status: 200 });
    return answer;
  }

  /** Today three users, two of them new; yesterday one by this time, and another one later. */
  async function fill(): Promise<void> {
    const visits = [
      { user: 1, date: at(-30), text: '/start source-ads_campaign-may' },
      { user: 2, date: at(-13), text: '/start' },
      { user: 3, date: at(-3), text: '/start source-ads_campaign-may' },
      { user: 4, date: at(-2), text: '/start source-blog_campaign-june' },
    ];
    const update = ({ user, date, text }: (typeof visits)[number], index: number) => ({
      update: {
        update_id: index + 1,
        message: {
          message_id: index + 1,
          date: Math.floor(Date.parse(date) / 1000),
          chat: { id: user, type: 'private' },
          from: { id: user, is_bot: false, first_name: HOSTILE[0] },
          text,
          entities: [{ type: 'bot_command', offset: 0, length: 6 }],
        },
      },
    });
    await post('send-batch-update', visits.map(update));
    await post('send-event', [
      { event: HOSTILE[1], user_id: 1, date: at(-26) },
      { event: HOSTILE[1], user_id: 1, date: at(-1) },
    ]);
    const sale = (user_id: number, date: string): string =>
      `{"target_id":1,"user_id":${user_id},"value":${PRICE},"unit":"USD","date":"${date}"}`;
    await post('send-target', `[${[sale(1, at(-25)), sale(3, at(-2)), sale(4, at(-1))].join()}]`);
    await operate(service.env, ['fx', 'set', '--from', 'XTR', '--to', 'USD', '--rate', '0.02', '--date', '2020-01-01']);
    await post('send-batch-update', [
      stars('successful_payment', { user: 1, amount: 350, date: at(-26) }),
      stars('refunded_payment', { user: 1, amount: 350, date: at(-25) }),
      stars('successful_payment', { user: 3, amount: 500, date: at(-2) }),
      stars('successful_payment', { user: 4, amount: 100, date: at(-2) }),
      stars('refunded_payment', { user: 3, amount: 500, date: at(-1) }),
    ]);
    const segmentations = { include: [{ type: 'all', config: {} }] };
    await post('broadcast/create', { type: 'sendMessage', name: HOSTILE[2], message: { text: 'a' }, segmentations });
    await service.projected();
  }

  let updateId = 100;
  /** A payment or a refund of stars, of the user's one charge. */
  function stars(field: string, { user, amount, date }: { user: number; amount: number; date: string }): object {
    const update_id = ++updateId;
    const money = { currency: 'XTR', total_amount: amount, telegram_payment_charge_id: `c${user}` };
    const person = { from: { id: user, is_bot: false, first_name: HOSTILE[0] }, chat: { id: user, type: 'private' } };
    const message = { message_id: update_id, date: Math.floor(Date.parse(date) / 1000), ...person, [field]: money };
    return { update: { update_id, message } };
  }

  /** The number of the period with all digits, and that of the period before as it is shown. */
  async function figure(page: Page, name: string): Promise<string[]> {
    const card = page.locator(`[data-figure="${name}"]`);
    const exact = await card.locator('.figure').getAttribute('title');
    return [exact!, (await card.locator('.from').textContent())!];
  }

  /** Shows today against yesterday. */
  async function showToday(page: Page): Promise<void> {
    await page.getByRole('radio', { name: 'Today' }).click();
    await page.locator('.figures[aria-busy="false"] [data-figure="revenue"]').waitFor();
  }

  it('begins the console, with the numbers of the API today and yesterday by this time', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    await showToday(page);
    const day = (ms: number): string =>
      new Intl.DateTimeFormat('en-CA', { timeZone: ZONE, dateStyle: 'short' }).format(ms);
    const time = new Intl.DateTimeFormat('en-GB', { timeZone: ZONE, timeStyle: 'medium' }).format(Date.now());
    const totals = async (date: string, to: string): Promise<string[]> => {
      const { items } = (await service.get('/v1/reports/events', key())).body.data;
      const sale = items.find((event: { target_id?: number }) => event.target_id === 1).event_id;
      const { payment, refund } = SYSTEM_EVENTS;
      const filters = ['in', 'events.event_type_id', [sale, payment, refund]];
      const params = { ':date_from': `${date} 00:00:00`, ':date_to': `${date} ${to}` };
      const metric = (agr: string, event_id: number | null, more: object = {}) => ({
        ...{ type: 'trend', event_id, event_name: 'any', agr },
        ...more,
      });
      const requests = [
        metric('total_uniq_user_id', null),
        metric('total', null),
        metric('total', sale),
        metric('property_sum', null, { agr_field: 'events.value_amount', filters }),
      ];
      const report_config = {
        source_request: { type: 'trends', type_chart: 'number', requests },
        settings: { params },
      };
      const answer = await fetch(`${service.address}/v1/reports/run`, {
        method: 'POST',
        headers: { ...key(), 'content-type': 'application/json' },
        body: JSON.stringify({ report_config }),
      });
      const shown = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });
      const found = [...(await answer.text()).matchAll(/"total":([-0-9.]+|null)/g)];
      const list = await service.get(
        `/v1/reports/new-users?${new URLSearchParams({ date_from: params[':date_from'], date_to: params[':date_to'] })}`,
        key(),
      );
      const [active, ...rest] = found.map(([, digits]) => shown.format((digits === 'null' ? 0 : digits) as never));
      return [active!, shown.format(list.body.data.total), ...rest];
    };
    const [today, yesterday] = [
      await totals(day(Date.now()), '23:59:59'),
      await totals(day(Date.now() - 24 * HOUR), time),
    ];
    // Two sales, 2 USD of a payment, and nothing of payments that were refunded.
    expect(today).toEqual(['3', '2', '8', '2', '2,469,135,780,248.9']);
    expect(yesterday).toEqual(['1', '1', '5', '1', '1,234,567,890,123.45']);
    for (const [index, name] of ['active', 'newUsers', 'events', 'sales', 'revenue'].entries()) {
      const currency = name === 'revenue' ? ' USD' : '';
      const before = name === 'revenue' ? 'from 1.2T USD' : `from ${yesterday[index]}`;
      expect(await figure(page, name), name).toEqual([
        `${today[index]}${currency}`,
        today[index] === yesterday[index] ? 'as before' : before,
      ]);
    }
    await page.getByRole('heading', { name: 'Top campaigns' }).waitFor();
    const campaigns = page.getByRole('region', { name: 'Top campaigns' }).locator('tbody tr');
    await expect.poll(() => campaigns.count()).toBeGreaterThan(1);
    expect(await campaigns.first().locator('bdi').textContent()).toBe('ads / may');
    expect(await page.getByRole('region', { name: 'New users by day' }).locator('strong').textContent()).toBe('2');
    await page.getByRole('region', { name: 'Last broadcasts' }).getByRole('link', { name: HOSTILE[2]! }).waitFor();
    await page.getByText(/^Counted to /).waitFor();
    expect(console.complaints).toEqual([]);
  });

  it("counts today by the service's clock when the browser's is days ahead", async () => {
    const console = await started.browser.open();
    await console.page.clock.setFixedTime(Date.now() + 30 * HOUR);
    await logInWith(console, service.address, bot.apiKey);
    await showToday(console.page);
    expect(await figure(console.page, 'events')).toEqual(['8', 'from 5']);
    expect(await figure(console.page, 'newUsers')).toEqual(['2', 'from 1']);
    await console.page.getByText('Today so far: 3 people active, 2 new, 8 events, 2 sales').waitFor();
    expect(console.complaints).toEqual([]);
  });

  longOnly('leads from every figure to the report that explains it', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    for (const name of ['active', 'events', 'sales', 'revenue']) {
      await showToday(page);
      const link = page.locator(`a[data-figure="${name}"]`);
      await link.waitFor();
      const [shown] = await figure(page, name);
      await link.click();
      await page.locator('.answer[aria-busy="false"] footer').first().waitFor();
      await expect.poll(() => page.locator('.numbers strong').first().textContent()).toBe(shown!.replace(' USD', ''));
      await page.getByRole('link', { name: 'Dashboard' }).click();
    }
    await page.locator('a[data-figure="newUsers"]').click();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('growth');
    for (const [name, users] of [
      ['New users by day', 2],
      ['Active users by day', 3],
    ] as const) {
      const card = page.getByRole('region', { name, exact: true });
      await card.locator('.opens').waitFor();
      await card.locator('summary').click();
      await card
        .getByRole('button', { name: new RegExp(`^${users}: show the people of`) })
        .last()
        .click();
      const dialog = page.getByRole('dialog', { name: 'People behind this number' });
      await dialog.getByText(`${users} people`).waitFor();
      expect(await dialog.locator('tbody tr').count()).toBe(users);
      await dialog.getByRole('button', { name: 'Close' }).click();
    }
    await page.getByRole('link', { name: 'Active users by day' }).click();
    await page.locator('.answer[aria-busy="false"] .chart canvas').waitFor();
    expect(console.complaints).toEqual([]);
  });

  it('counts a period and the one before it, whole or up to the same moment', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    const local = (days: number): string =>
      new Intl.DateTimeFormat('en-CA', { timeZone: ZONE, dateStyle: 'short' }).format(Date.now() + days * 24 * HOUR);
    // Yesterday alone, against the day before.
    await page.goto(`${service.address}/console/dashboard?period=${local(-1)}_${local(-1)}`);
    await page.locator('[data-figure="events"]').waitFor();
    const [events] = await figure(page, 'events');
    expect(Number(events)).toBeGreaterThanOrEqual(5);
    await page.getByRole('button', { name: new RegExp(`${new Date(`${local(-1)}T00:00Z`).getUTCDate()}`) }).click();
    const range = page.getByRole('form', { name: 'Own period' });
    await range.getByLabel('First day').fill(local(0));
    await range.getByLabel('Last day').fill(local(-3));
    await range.getByRole('button', { name: 'Show' }).click();
    await range.getByText('The first day is after the last.').waitFor();
    await range.getByLabel('First day').fill(local(-2));
    await range.getByLabel('Last day').fill(local(0));
    await range.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => figure(page, 'newUsers')).toEqual(['4', 'from 0']);
    await page.reload();
    await expect.poll(() => page.url()).toContain(`period=${local(-2)}_${local(0)}`);
    await expect.poll(() => figure(page, 'newUsers')).toEqual(['4', 'from 0']);
    await page.goBack();
    await expect.poll(() => figure(page, 'events')).toEqual([events, expect.any(String)]);
    expect(console.complaints).toEqual([]);
  });

  longOnly('lists the broadcasts that run before drafts that are newer', async () => {
    const segmentations = { include: [{ type: 'all', config: {} }] };
    const message = { text: 'a' };
    const date_send = '2031-01-01 00:00:00';
    await post('broadcast/create', {
      ...{ type: 'sendMessage', name: 'scheduled', message, segmentations, date_send },
      activate: true,
    });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await post('broadcast/create', { type: 'sendMessage', name });
    await service.projected();
    const console = await started.logIn(bot.apiKey);
    const links = console.page.getByRole('region', { name: 'Last broadcasts' }).locator('li a');
    await expect.poll(() => links.allTextContents()).toEqual(['scheduled', 'e', 'd', 'c', 'b']);
    await console.page.getByText('Scheduled for Jan 1, 2031, 00:00').waitFor();
    expect(console.complaints).toEqual([]);
  });

  longOnly('keeps the choice and the order of figures for a bot, with the revenue of one event', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    await showToday(page);
    await page.getByRole('button', { name: 'Choose figures' }).click();
    const drawer = page.getByRole('dialog', { name: 'Choose figures' });
    await drawer.getByRole('button', { name: /^Remove .*Events/ }).click();
    await drawer.getByRole('button', { name: /Choose an event/ }).click();
    await drawer.getByRole('option', { name: 'Payment' }).click();
    await drawer.getByRole('button', { name: /^Move .*Revenue of Payment.* up/ }).click();
    await drawer.getByRole('button', { name: 'Close' }).click();
    const order = () => page.locator('.tile .name').allTextContents();
    const chosen = ['Active users', 'New users', 'Sales', 'Revenue of Payment', 'Revenue'];
    await expect.poll(order).toEqual(chosen);
    // Two payments of 500 and 100 stars, at 0.02.
    const payment = page.locator('[data-figure="event:3:revenue"]');
    await expect.poll(() => payment.locator('.figure').textContent()).toBe('12.00 USD');
    expect(await payment.locator('.up').textContent()).toMatch(/^▲ 71\.4/);
    await page.reload();
    await expect.poll(order).toEqual(chosen);
    expect(console.complaints).toEqual([]);
  });

  longOnly('keeps a saved report that is pinned, for every session of the bot, until it is unpinned', async () => {
    const config = {
      source_request: {
        type: 'trends',
        type_chart: 'number',
        requests: [{ type: 'trend', event_id: null, event_name: 'all', agr: 'total' }],
      },
      settings: { params: { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-07 23:59:59' } },
    };
    await post('reports/save', { name: HOSTILE[3], report_config: config });
    const console = await started.logIn(bot.apiKey);
    await console.page.getByRole('button', { name: /Pin a report/ }).click();
    // The read model is late, longer than the answer waits for it.
    const late = await service.database.pool.connect();
    await late.query('BEGIN; LOCK TABLE reports_v1.checkpoints IN SHARE ROW EXCLUSIVE MODE');
    await console.page.getByRole('option', { name: HOSTILE[3]! }).click();
    await console.page.getByRole('region', { name: HOSTILE[3]! }).waitFor();
    await late.query('ROLLBACK');
    late.release();
    await service.projected();
    const other = await started.logIn(bot.apiKey);
    const card = other.page.getByRole('region', { name: HOSTILE[3]! });
    await expect.poll(() => card.locator('.numbers strong').textContent()).toBe('14');
    // As many days as it was saved with, ending today in the bot's zone.
    const shown = new Intl.DateTimeFormat('en-US', { timeZone: ZONE, month: 'short', day: 'numeric' });
    const days = [Date.now() - 6 * 24 * HOUR, Date.now()].map((at) => shown.format(at)).join(' – ');
    expect(await card.locator('footer').textContent()).toContain(days);
    await card.getByRole('button', { name: 'Unpin' }).click();
    await card.waitFor({ state: 'detached' });
    const { items } = (await service.get('/v1/reports/list', key())).body.data;
    expect(items.map(({ pinned }: { pinned: boolean }) => pinned)).toEqual([false]);
    expect([...console.complaints, ...other.complaints]).toEqual([]);
  });

  it.each([false, ...longRows([true])])('has no axe finding, and fits 360 px (dark: %s)', async (dark) => {
    const console = await started.logIn(bot.apiKey, { dark, width: dark ? 360 : 1280 });
    await console.page.locator('[data-figure="revenue"]').waitFor();
    await console.page.getByRole('region', { name: 'Top campaigns' }).locator('tbody tr').first().waitFor();
    expect(await axeFindings(console.page)).toEqual([]);
    const width = await console.page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(dark ? 360 : 1280);
    expect(console.complaints).toEqual([]);
  });
});
