import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setExchangeRates } from '../../../src/commands/catalog/set-exchange-rates.ts';
import { axeFindings, CHROMIUM, type ConsolePage, HOSTILE, type PageOptions, shoot } from '../../support/browser.ts';
import { aKey } from '../../support/catalog.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

const SECTIONS = ['bot', 'keys', 'goals', 'units', 'rules', 'webhook', 'look', 'plan'];
const LONG = 'x'.repeat(5000);

describe.skipIf(CHROMIUM === undefined)('the console changes settings', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;
  /** For all bots of the bot's owner. */
  let owner: string;

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot();
    owner = (await aKey(service.commands, bot.ownerId, 'all', { kind: 'owner', name: 'Owner' })).apiKey;
    const sent = [
      { update_id: 1, message: messageOf(1) },
      { event: 'order_paid', user_id: 1, value_num: 5, unit: 'USD' },
    ];
    await service.post('/v1/send-update', { update: sent[0] }, { 'api-key': bot.apiKey });
    await service.post('/v1/send-event', sent[1], { 'api-key': bot.apiKey });
    await service.projected();
  });
  afterAll(() => started.stop());

  function messageOf(id: number): object {
    const from = { id, is_bot: false, first_name: 'Ada' };
    return { message_id: 1, date: 1767225600, chat: { id, type: 'private' }, from, text: '/start' };
  }

  async function openSettings(section: string, options?: PageOptions): Promise<ConsolePage> {
    const console = await started.logIn(owner, options);
    await show(console.page, section);
    return console;
  }
  async function show(page: Page, section: string, of = bot.publicKey): Promise<void> {
    await page.goto(`${service.address}/console/settings?bot=${of}&section=${section}`);
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
  }
  const row = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });
  const press = (page: Page, name: string): Promise<void> =>
    page.getByRole('button', { name, exact: true }).first().click();
  const items = async (path: string): Promise<{ name?: string }[]> =>
    (await service.get(`/v1/settings/${path}`, { 'api-key': owner, 'resource-key': bot.publicKey })).body.data.items;

  it('a key is issued, seen once, used, revoked after a question, and dies', async () => {
    const { page, complaints } = await openSettings('keys');
    await press(page, 'Issue a key');
    await page.getByLabel('Name').fill('Shop server');
    await page.getByLabel('For', { exact: true }).selectOption('a person');
    await press(page, 'Issue the key');
    const value = await page.locator('.secret code').textContent();
    await press(page, 'Copy');
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(value);
    const call = async (): Promise<number> => (await service.get('/v1/reports/list', { 'api-key': value! })).status;
    expect(await call()).toBe(200);
    await press(page, 'I have stored it');
    await page.reload();
    await row(page, 'Shop server').waitFor();
    expect(await page.content()).not.toContain(value!.split(':')[1]);
    expect(
      await row(page, 'you are using it')
        .getByRole('button', { name: /^Revoke/ })
        .count(),
    ).toBe(0);

    await row(page, 'Shop server')
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await page.getByRole('dialog').getByText('“\u2068Shop server\u2069”').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    expect(await call()).toBe(200);
    await row(page, 'Shop server')
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row(page, 'Shop server').getByText('Revoked').waitFor();
    await expect.poll(call).toBe(401);
    expect(complaints).toEqual([]);
  });

  it('a rule is added, edited and deactivated', async () => {
    const { page, complaints } = await openSettings('rules');
    await press(page, 'New rule');
    const form = page.locator('form').last();
    await form.getByLabel('Name').fill('Share of orders');
    await form.getByRole('button', { name: /^When this happens/ }).click();
    await page.getByRole('combobox', { name: 'Find: When this happens' }).fill('paid');
    await page.getByRole('option', { name: 'Order paid' }).click();
    await form.getByLabel('Percent').fill('12.5');
    await press(page, 'Create the rule');
    await row(page, 'Share of orders').getByText('12.5 %').waitFor();
    await row(page, 'Share of orders').getByRole('button', { name: /^Edit/ }).click();
    const edit = page.locator('form').first();
    await edit.getByLabel('Percent').fill('1000');
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.getByRole('alert').getByText('percent must be at most 100').waitFor();
    expect(await edit.getByLabel('Percent').getAttribute('aria-invalid')).toBe('true');
    await edit.getByLabel('Percent').fill('20');
    await edit.getByLabel('It earns').uncheck();
    await edit.getByRole('button', { name: 'Save' }).click();
    await row(page, 'Share of orders').getByText('inactive').waitFor();
    expect(await items('rules')).toContainEqual(
      expect.objectContaining({ name: 'Share of orders', percent: 20, active: false }),
    );
    // The refused change is a 400. Chromium reports it as a failed load.
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });

  it('a webhook is set, and its secret shown the first time', async () => {
    const { page, complaints } = await openSettings('webhook');
    await page.getByText('No address yet').waitFor();
    await page.getByLabel('Address').fill('https://shop.example/payouts');
    await press(page, 'Save');
    expect(await page.locator('.secret code').textContent()).toMatch(/^whsec_/);
    await press(page, 'I have stored it');
    await page.getByText('No payout was announced yet.').waitFor();
    await page.getByLabel('Address').fill('https://shop.example/payouts/2');
    await press(page, 'Save');
    await page.getByText('Saved.').waitFor();
    expect(await page.locator('.secret').count()).toBe(0);
    await press(page, 'Replace the secret');
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click();
    expect(await page.locator('.secret code').textContent()).toMatch(/^whsec_/);
    expect(complaints).toEqual([]);
  });

  it('a bot is set and another one created; a token is typed, and never shown', async () => {
    const { page, complaints } = await openSettings('bot');
    const token = '123456:TOKEN-of-the-browser';
    const form = page.locator('form').first();
    await form.getByLabel('Token of the platform').fill(token);
    await form.getByRole('button', { name: /^Time zone/ }).click();
    await page.getByRole('combobox', { name: 'Find: Time zone' }).fill('berlin');
    await page.keyboard.press('Enter');
    await form.getByText('2 unsaved changes').waitFor();
    await form.getByRole('button', { name: 'Undo' }).click();
    expect(await form.getByText(/unsaved change/).count()).toBe(0);
    await form.getByLabel('Token of the platform').fill('nonsense');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('1 must be corrected').waitFor();
    await form.getByLabel('Token of the platform').fill(token);
    await form.getByRole('button', { name: /^Time zone/ }).click();
    await page.getByRole('combobox', { name: 'Find: Time zone' }).fill('berlin');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByText('There is a token').waitFor();
    expect(await form.getByLabel('Token of the platform').inputValue()).toBe('');
    const made = page.locator('form').last();
    await made.getByLabel('Name', { exact: true }).fill('Second bot');
    await press(page, 'Create the bot');
    await press(page, 'I have stored it');
    await page.getByRole('heading', { name: 'Second bot' }).waitFor();
    await page
      .getByRole('button', { name: /Second bot/ })
      .first()
      .waitFor();
    expect(await items('bots')).toContainEqual(expect.objectContaining({ timezone: 'Europe/Berlin', has_token: true }));
    // The refused token is a 400. Chromium reports it as a failed load.
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });

  it('goals and units are created', async () => {
    const { page, complaints } = await openSettings('goals');
    await press(page, 'New goal');
    await page.getByLabel('Goal number').fill('7');
    await page.getByLabel('Name').fill('Sign-up');
    await press(page, 'Create the goal');
    await row(page, 'Sign-up').waitFor();
    await service.post('/v1/send-target', [{ target_id: 7, user_id: 1 }], { 'api-key': bot.apiKey });
    await service.projected();
    await page.reload();
    await row(page, 'Sign-up').getByRole('link', { name: 'Sign-up, 1 ×: open the report' }).waitFor();
    await show(page, 'units');
    await press(page, 'New unit');
    await page.getByLabel('Code').fill('pts');
    await press(page, 'Create the unit');
    await row(page, 'PTS').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows script in every field and name as text', async () => {
    const other = await service.createBot();
    const { apiKey } = await aKey(service.commands, other.ownerId, 'all', { kind: 'owner', name: HOSTILE[0]! });
    await service.projected();
    const create = async (path: string, body: object): Promise<void> => {
      const headers = { 'api-key': apiKey, 'resource-key': other.publicKey };
      expect((await service.post(`/v1/settings/${path}`, body, headers)).status).toBe(200);
    };
    await create('bots/set', { name: HOSTILE[1]! });
    for (const [i, name] of HOSTILE.entries()) {
      await create('keys/issue', { bots: 'all', name });
      await create('goals/create', { target_id: i + 2, name });
      await create('units/create', { code: `H${i}`, name });
      await create('rules/create', { name, trigger_event_id: 1, reward_type: 'percent', percent: 1 });
    }
    const console = await started.logIn(apiKey);
    const { page } = console;
    await show(page, 'bot', other.publicKey);
    await page.getByRole('heading', { name: HOSTILE[1]! }).waitFor();
    for (const section of ['keys', 'goals', 'units', 'rules']) {
      await show(page, section, other.publicKey);
      for (const name of HOSTILE) await row(page, name).first().waitFor();
    }
    await row(page, HOSTILE[1]!).getByRole('button', { name: /^Edit/ }).click();
    await page.getByRole('dialog', { name: HOSTILE[1]! }).waitFor();
    await show(page, 'keys', other.publicKey);
    await row(page, HOSTILE[2]!)
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await page.getByRole('dialog').getByText(HOSTILE[2]!).waitFor();

    // Typed into every field, they are refused in words, or made a thing of this name.
    for (const [i, section] of SECTIONS.slice(0, 6).entries()) {
      for (const text of [HOSTILE[i]!, LONG]) {
        await show(page, section, other.publicKey);
        const opener = page.getByRole('button', { name: /^(Issue a key|New (goal|unit|rule))$/ });
        if ((await opener.count()) > 0) await opener.click();
        const form = page
          .locator('form')
          .filter({ has: page.locator('input') })
          .last();
        for (const field of await form.locator('input[type=text], input[type=password]').all()) await field.fill(text);
        await form.getByRole('button').last().click();
        await page.locator('.failure, .secret').first().waitFor();
        expect(await page.evaluate('document.documentElement.scrollWidth'), section).toBeLessThanOrEqual(1280);
      }
    }
    expect(console.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });

  it('exchange rates are shown page by page', async () => {
    const day = (i: number): string => new Date(Date.UTC(2025, 0, 1 + i)).toISOString().slice(0, 10);
    const rates = Array.from({ length: 52 }, (_, i) => ({ from: 'EUR', to: 'USD', rate: '1.1', date: day(i) }));
    await setExchangeRates(service.commands, rates);
    await service.projected();
    const { page, complaints } = await openSettings('units');
    const shown = (i: number): string =>
      new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', dateStyle: 'medium' }).format(Date.parse(day(i)));
    await row(page, shown(49)).waitFor();
    expect(await row(page, shown(50)).count()).toBe(0);
    await press(page, 'Next page');
    await row(page, shown(51)).waitFor();
    expect(await row(page, shown(49)).count()).toBe(0);
    await press(page, 'Previous page');
    await row(page, shown(0)).waitFor();
    expect(complaints).toEqual([]);
  });

  it('a personal key sees how to get an owner key, and none of the settings', async () => {
    const console = await started.logIn(bot.apiKey);
    await console.page.getByRole('link', { name: 'Settings' }).click();
    await console.page.getByText('Settings need an owner key').waitFor();
    await console.page.getByText('key issue --owner ID --all-bots --kind owner').waitFor();
    expect(await console.page.locator('form').count()).toBe(0);
    expect(console.complaints).toEqual([]);
  });

  it.each([false, true])('has no axe finding (dark: %s)', async (dark) => {
    const { page, complaints } = await openSettings('bot', { dark });
    for (const section of SECTIONS) {
      await show(page, section);
      expect(await axeFindings(page), section).toEqual([]);
      await shoot(page, `${section}-${dark ? 'dark' : 'light'}`);
    }
    await show(page, 'keys');
    await page
      .getByRole('button', { name: /^Rotate/ })
      .first()
      .click();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('fits a page of 360 px, with the longest and hostile names', async () => {
    const headers = { 'api-key': owner, 'resource-key': bot.publicKey };
    const long = `\u202e${'<b>'.repeat(60)}`;
    await service.post('/v1/settings/keys/issue', { bots: 'all', name: long }, headers);
    await service.post('/v1/settings/goals/create', { target_id: 77, name: long }, headers);
    await service.post('/v1/settings/units/create', { code: 'LNG', name: long }, headers);
    const rule = { name: long, trigger_event_id: 1, reward_type: 'percent', percent: 1 };
    await service.post('/v1/settings/rules/create', rule, headers);
    const { page } = await openSettings('bot', { width: 360 });
    for (const section of SECTIONS) {
      await show(page, section);
      expect(await page.evaluate('document.documentElement.scrollWidth'), section).toBeLessThanOrEqual(360);
      await shoot(page, `${section}-360`);
    }
  });
});
