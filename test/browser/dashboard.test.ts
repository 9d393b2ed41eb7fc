import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner } from '../../src/commands/catalog/owners.ts';
import { SYSTEM_EVENTS } from '../../src/domain/intake/system-events.ts';
import { axeFindings, CHROMIUM, giveKey, HOSTILE, logInWith } from '../support/browser.ts';
import { aKey } from '../support/catalog.ts';
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

  /** Today's number, yesterday's. */
  async function figure(page: Page, name: string): Promise<string[]> {
    const card = page.locator(`[data-figure="${name}"]`);
    return [(await card.locator('strong').textContent())!.trim(), (await card.locator('span').first().textContent())!];
  }

  it('begins the console, with the numbers of the API today and yesterday by this time', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    await page.locator('[data-figure="revenue"]').waitFor();
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
      expect(await figure(page, name), name).toEqual([
        `${today[index]}${currency}`,
        `${yesterday[index]} yesterday by this time`,
      ]);
    }
    await page.getByRole('heading', { name: 'Top campaigns' }).waitFor();
    const campaigns = page.getByRole('region', { name: 'Top campaigns' }).locator('tbody tr');
    await expect.poll(() => campaigns.count()).toBeGreaterThan(1);
    expect(await campaigns.first().locator('bdi').textContent()).toBe('ads / may');
    expect(await page.getByRole('region', { name: 'New users by day' }).locator('strong').textContent()).toBe('4');
    await page.getByRole('region', { name: 'Last broadcasts' }).getByRole('link', { name: HOSTILE[2]! }).waitFor();
    for (const name of ['New users by day', 'Last broadcasts'])
      await page
        .getByRole('region', { name })
        .getByText(/^Counted up to .*, /)
        .waitFor();
    expect(console.complaints).toEqual([]);
  });

  it("counts today by the service's clock when the browser's is days ahead", async () => {
    const console = await started.browser.open();
    await console.page.clock.setFixedTime(Date.now() + 30 * HOUR);
    await logInWith(console, service.address, bot.apiKey);
    await console.page.locator('[data-figure="revenue"]').waitFor();
    expect(await figure(console.page, 'events')).toEqual(['8', '5 yesterday by this time']);
    expect(await figure(console.page, 'newUsers')).toEqual(['2', '1 yesterday by this time']);
    expect(console.complaints).toEqual([]);
  });

  longOnly('leads from every figure to the report that explains it', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    for (const name of ['active', 'events', 'sales', 'revenue']) {
      const link = page.locator(`[data-figure="${name}"] a`);
      await link.waitFor();
      const [shown] = await figure(page, name);
      await link.click();
      await page.locator('.answer[aria-busy="false"] footer').waitFor();
      await expect.poll(() => page.locator('.numbers strong').first().textContent()).toBe(shown!.replace(' USD', ''));
      await page.getByRole('link', { name: 'Dashboard' }).click();
    }
    await page.locator('[data-figure="newUsers"] a').click();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('growth');
    for (const [name, users] of [
      ['New users by day', 2],
      ['Active users by day', 3],
    ] as const) {
      const card = page.getByRole('region', { name, exact: true });
      await card.locator('.opens').waitFor();
      await card.locator('summary').click();
      await card
        .getByRole('button', { name: new RegExp(`^${users}: show the users`) })
        .last()
        .click();
      const dialog = page.getByRole('dialog', { name: 'Users behind this number' });
      await dialog.getByText(`${users} users`).waitFor();
      expect(await dialog.locator('tbody tr').count()).toBe(users);
      await dialog.getByRole('button', { name: 'Close' }).click();
    }
    await page.getByRole('link', { name: 'Active users by day' }).click();
    await page.locator('.answer[aria-busy="false"] .chart canvas').waitFor();
    expect(console.complaints).toEqual([]);
  });

  it('keeps a saved report that is pinned, for every session of the bot, until it is unpinned', async () => {
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
    await console.page.getByLabel('Saved report').selectOption(HOSTILE[3]!);
    await console.page.getByRole('button', { name: 'Pin', exact: true }).click();
    await console.page.getByRole('region', { name: HOSTILE[3]! }).waitFor();
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

  it("says how to send the first event, which brings the first chart, and shows nothing of another owner's bot", async () => {
    const other = await service.createBot();
    const console = await started.logIn(other.apiKey);
    const command = await console.page.locator('pre').textContent();
    await promisify(execFile)('bash', ['-c', command!], { env: { ...process.env, KEY: other.apiKey } });
    await service.projected();
    await console.page.reload();
    await console.page.locator('#growth canvas').waitFor();
    expect(await figure(console.page, 'newUsers')).toEqual(['1', '0 yesterday by this time']);
    await console.page.goto(`${service.address}/console/dashboard?bot=${bot.publicKey}`);
    await console.page.getByText('There is no such bot').waitFor();
    const [from, to] = ['2026-01-01%2000:00:00', '2026-01-31%2000:00:00'];
    const status = await console.page.evaluate(
      `fetch('/v1/reports/new-users?date_from=${from}&date_to=${to}', { headers: { 'resource-key': '${bot.publicKey}' } }).then((r) => r.status)`,
    );
    expect(status).toBe(403);
    expect(await axeFindings(console.page)).toEqual([]);
  });

  it('names no other bot when a link is of one that the key may not see, and shows the choice', async () => {
    const console = await started.logIn(bot.apiKey);
    const { page } = console;
    await page.goto(`${service.address}/console/dashboard?bot=nosuch`);
    await page.getByRole('alert').getByText('There is no such bot, or this key may not see it').waitFor();
    expect(await page.locator('[data-figure]').count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Bot' }).click();
    await page.locator('[data-figure="active"]').waitFor();
    expect(page.url()).toContain(`bot=${bot.publicKey}`);
    expect(console.complaints).toEqual([]);
  });

  it('lets an owner without a bot create one, and log out', async () => {
    const { ownerId } = await createOwner(service.commands, {
      ...{ name: 'New', plan: 'premium', currency: 'USD', broadcastsPerMonth: 1 },
    });
    const { apiKey } = await aKey(service.commands, ownerId, 'all', { kind: 'owner' });
    const { apiKey: personal } = await aKey(service.commands, ownerId, 'all', { kind: 'personal' });
    await service.projected();
    const console = await started.logIn(personal);
    const { page } = console;
    await page.getByText('npx botledger bot create').waitFor();
    await page.getByRole('button', { name: 'Log out' }).click();
    await giveKey(page, apiKey);
    await page.getByText('This key has no bot yet').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Name', { exact: true }).fill('x'.repeat(190));
    await page.getByRole('button', { name: 'Create the bot' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByText('npm run demo').waitFor();
    expect(await page.locator('pre').textContent()).toMatch(/Resource-Key: \S+'/);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1280);
    expect(console.complaints).toEqual([]);
  });
});
