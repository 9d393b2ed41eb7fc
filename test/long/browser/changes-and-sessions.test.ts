import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeKey } from '../../../src/commands/catalog/keys.ts';
import {
  axeFindings,
  CHROMIUM,
  type ConsolePage,
  giveKey,
  HOSTILE,
  type PageOptions,
  shoot,
} from '../../support/browser.ts';
import { aKey } from '../../support/catalog.ts';
import { section } from '../../support/operations-page.ts';
import { createOperator, type TestOperator } from '../../support/operators.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

const SECTIONS = ['bot', 'keys', 'goals', 'units', 'rules', 'webhook'];
const OVER = 'Your session is over';
const NO_ANSWER = 'The service did not answer.';
const WHY = 'Why? The log keeps it.';

describe.skipIf(CHROMIUM === undefined)('the console where a request or a session is cut off', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;
  let actor: TestOperator;
  /** An owner key for all bots of the bot's owner. */
  let owner: string;

  beforeAll(async () => {
    started = await startConsole({ ADMIN_API: 'on' });
    ({ service } = started);
    bot = await service.createBot();
    ({ apiKey: owner } = await ownerKey());
    actor = await createOperator(service, 'act', HOSTILE[6]);
  });
  afterAll(() => started.stop());

  async function ownerKey() {
    const issued = await aKey(service.commands, bot.ownerId, 'all', { kind: 'owner' });
    await service.projected();
    return issued;
  }
  const open = (key: string, options?: PageOptions): Promise<ConsolePage> => started.logIn(key, options);
  const settings = (page: Page, name: string) =>
    page.goto(`${service.address}/console/settings?bot=${bot.publicKey}&section=${name}`);
  /** Chromium reports refused and cut requests as failed loads. */
  const unexpected = ({ complaints }: ConsolePage): string[] =>
    complaints.filter((text) => !/status of 4\d\d|ERR_FAILED/.test(text));

  it('the token of a log-in link leaves the address and the history, with a session and without one', async () => {
    const without = await started.browser.open();
    await without.page.goto(`${service.address}/console#token=spent`);
    await without.page.getByText('This link was used before').waitFor();
    expect(without.page.url()).toBe(`${service.address}/console`);
    expect(await axeFindings(without.page)).toEqual([]);

    const { page } = await open(owner);
    await page.goto(`${service.address}/console/reports`);
    for (const link of ['/console/settings#token=second', '/console/settings#token=third']) {
      await page.goto(service.address + link);
      await expect.poll(() => page.url()).not.toContain('token');
    }
    await page.getByRole('button', { name: 'Log out' }).waitFor();
    await page.goBack();
    expect(page.url()).not.toContain('token');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    // A log-out is no end elsewhere, and the link is not used after it.
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('a session that was logged out elsewhere says so and leads to the log-in', async () => {
    const first = await open(actor.operatorKey);
    const other = await first.page.context().newPage();
    await other.goto(`${service.address}/console`);
    await other.getByRole('button', { name: 'Log out' }).click();
    await other.getByRole('heading', { name: 'Log in' }).waitFor();
    await first.page.getByText(OVER).waitFor();
    const asked: string[] = [];
    first.page.on('request', (request) => asked.push(request.url()));
    await giveKey(first.page, actor.operatorKey);
    expect(await first.page.getByText(OVER).count()).toBe(0);
    // Only the log-in and its page: nothing was asked for in vain before it.
    expect(asked[0]).toBe(`${service.address}/console/session`);
    expect(unexpected(first)).toEqual([]);
  });

  it('a tab whose session another owner replaced says so, and leads to the bots of the other', async () => {
    const first = await open(owner);
    await first.page.goto(`${service.address}/console/broadcasts?bot=${bot.publicKey}`);
    await first.page.getByText('No broadcasts yet').waitFor();
    const stranger = await service.createBot();
    const other = await first.page.context().newPage();
    await other.goto(`${service.address}/console`);
    await other.getByRole('button', { name: 'Log out' }).click();
    await giveKey(other, stranger.apiKey);
    await first.page.getByRole('alert').getByText('Another log-in in this browser has ended your session.').waitFor();
    await first.page.getByText('There is no such bot, or this key may not see it').waitFor();
    expect(await first.page.getByRole('table').count()).toBe(0);
    expect(await axeFindings(first.page)).toEqual([]);
    const asked: string[] = [];
    first.page.on('request', (request) => asked.push(request.headers()['resource-key'] ?? ''));
    await first.page.getByRole('main').getByRole('link', { name: 'Bot' }).click();
    await first.page.getByText('No broadcasts yet').waitFor();
    expect(new Set(asked)).toEqual(new Set([stranger.publicKey]));

    // An operator has no bots at all.
    await other.getByRole('button', { name: 'Log out' }).click();
    await giveKey(other, actor.operatorKey);
    await first.page.getByText('There is no such page.').waitFor();
    await first.page.getByText('Another log-in in this browser has ended your session.').waitFor();
    await first.page.getByRole('button', { name: 'Log out' }).click();
    await first.page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await first.page.getByRole('alert').count()).toBe(0);
    expect(unexpected(first)).toEqual([]);
  });

  it('a list that has not changed costs no body, and still says how far it is counted', async () => {
    const console = await open(owner);
    const { page } = console;
    await page.goto(`${service.address}/console/broadcasts?bot=${bot.publicKey}`);
    await page.getByText('No broadcasts yet').waitFor();
    const sizes = () =>
      page.evaluate<[number, number][]>(
        `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/broadcast/list'))
          .map(({ transferSize, encodedBodySize }) => [transferSize, encodedBodySize])`,
      );
    await expect.poll(async () => (await sizes()).length).toBeGreaterThan(1);
    const [[whole, body], [unchanged, kept]] = (await sizes()) as [[number, number], [number, number]];
    expect({ isWhole: whole > body, isUnchanged: unchanged < whole, kept }).toEqual({
      ...{ isWhole: true, isUnchanged: true },
      kept: body,
    });
    const asked = `'/v1/broadcast/list?limit=25&offset=0&filters%5Barchived%5D=false&orders%5Bid%5D=desc', { headers: { 'resource-key': '${bot.publicKey}' } }`;
    const [inBody, now] = await page.evaluate<[string, string]>(
      `fetch(${asked}).then(async (r) => [(await r.json()).data.data_as_of, r.headers.get('data-as-of')])`,
    );
    expect(Date.parse(now), 'the header comes from the 304, the body was kept').toBeGreaterThan(Date.parse(inBody));
    await page.route('**/v1/broadcast/list*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'data-as-of': '2026-01-02T03:04:00+00:00' } });
    });
    await page.locator('.fresh', { hasText: '03:04' }).filter({ visible: true }).waitFor();
    expect(unexpected(console)).toEqual([]);
  });

  it('a copy that the browser refuses says so', async () => {
    const console = await open(owner);
    const { page } = console;
    // Without a list of permissions Chromium lets a press copy; one without the clipboard denies it.
    await page.context().clearPermissions();
    await page.context().grantPermissions([]);
    await page.goto(`${service.address}/console/reports/new?bot=${bot.publicKey}`);
    for (const name of ['Copy as curl', 'Copy for the API']) {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name }).click();
      await page.getByRole('status').getByText('The browser did not allow copying.').waitFor();
      await page.reload();
    }
    await settings(page, 'keys');
    await page.getByRole('button', { name: 'Issue a key' }).click();
    const form = page.locator('form');
    await form.getByLabel('Name').fill('Copied by hand');
    await form.getByRole('button', { name: 'Issue the key' }).click();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('status').getByText('The browser did not allow copying.').waitFor();
    expect(await page.locator('.secret code').textContent()).toMatch(/:/);
    expect(unexpected(console)).toEqual([]);
  });

  it.each([
    ['light', { width: 1280 }],
    ['dark', { dark: true, width: 1280 }],
    ['360 px', { width: 360 }],
  ] as const)('a session whose key was revoked says so, readably (%s)', async (name, options) => {
    const { apiKey, keyId } = await ownerKey();
    const console = await open(apiKey, options);
    const { page } = console;
    await settings(page, 'goals');
    await page.getByRole('button', { name: 'New goal' }).waitFor();
    await revokeKey(service.commands, { ownerId: bot.ownerId, keyId });
    await expect
      .poll(async () => {
        await page
          .getByRole('link', { name: /^Units/ })
          .click({ timeout: 1000 })
          .catch(() => {});
        await page
          .getByRole('link', { name: 'Goals' })
          .click({ timeout: 1000 })
          .catch(() => {});
        return page.getByText(OVER).count();
      })
      .toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(options.width);
    await shoot(page, `session-over-${name}`);
    expect(unexpected(console)).toEqual([]);
  });

  /** Cuts the first request before it arrives, and the answer of the second. */
  async function cut(page: Page, url: string): Promise<void> {
    let requests = 0;
    await page.route(url, async (route: Route) => {
      if (route.request().method() === 'GET' || ++requests > 2) return route.continue();
      if (requests === 2) await route.fetch();
      await route.abort('failed');
    });
  }

  it('a setting whose request or answer is cut off is made once', async () => {
    const console = await open(owner);
    const { page } = console;
    await settings(page, 'units');
    await cut(page, '**/v1/settings/units/create');
    await page.getByRole('button', { name: 'New unit' }).click();
    const form = page.locator('form');
    await form.getByLabel('Code').fill('PTS');
    const create = form.getByRole('button', { name: 'Create the unit' });
    for (let i = 0; i < 2; i++) {
      await create.click();
      await form.getByRole('alert').getByText(NO_ANSWER).waitFor();
    }
    await create.click();
    await page.getByRole('rowheader', { name: 'PTS' }).waitFor();
    const headers = { 'api-key': owner, 'resource-key': bot.publicKey };
    expect((await service.get('/v1/settings/units', headers)).body.data.items).toHaveLength(1);
    expect(unexpected(console)).toEqual([]);
  });

  it('a job whose request or answer is cut off is asked for once; an edited reason is another request', async () => {
    const console = await open(actor.operatorKey);
    const { page } = console;
    await cut(page, '**/admin/v1/jobs');
    await section(page, 'Audit').getByRole('button', { name: 'Audit now' }).click();
    await page.getByLabel(WHY).fill('the first reason');
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Confirm' });
    for (let i = 0; i < 2; i++) {
      await confirm.click();
      await dialog.getByRole('alert').getByText(NO_ANSWER).waitFor();
    }
    await confirm.click();
    await dialog.waitFor({ state: 'detached' });
    const jobs = async () =>
      (await service.get('/admin/v1/jobs?kind=audit', actor.key)).body.data.items as {
        state: string;
        reason: string;
      }[];
    expect((await jobs()).map(({ reason }) => reason)).toEqual(['the first reason']);
    await expect.poll(async () => (await jobs())[0]!.state).toBe('done');

    // The answer is lost, and the reason is edited before the second attempt.
    await page.unroute('**/admin/v1/jobs');
    let isFirst = true;
    await page.route('**/admin/v1/jobs', async (route) => {
      if (route.request().method() === 'GET' || !isFirst) return route.continue();
      isFirst = false;
      await route.fetch();
      await route.abort('failed');
    });
    await section(page, 'Audit').getByRole('button', { name: 'Audit now' }).click();
    await page.getByLabel(WHY).fill('the second reason');
    await confirm.click();
    await dialog.getByRole('alert').getByText(NO_ANSWER).waitFor();
    await expect.poll(async () => (await jobs())[0]!.state).toBe('done');
    await page.getByLabel(WHY).fill('an edited reason');
    await confirm.click();
    await dialog.waitFor({ state: 'detached' });
    expect((await jobs()).map(({ reason }) => reason)).toEqual([
      'an edited reason',
      'the second reason',
      'the first reason',
    ]);
    expect(unexpected(console)).toEqual([]);
  });

  it('a change is asked for, left and made only by keyboard', async () => {
    const console = await open(actor.operatorKey);
    const { page } = console;
    const verify = section(page, 'Read models').getByRole('button', { name: 'Verify reports' });
    await verify.waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    for (let i = 0; i < 100 && (await focused()) !== 'Verify reports'; i++) await page.keyboard.press('Tab');
    expect(await focused()).toBe('Verify reports');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('left alone');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused(), 'the focus returns').toBe('Verify reports');
    await page.keyboard.press('Enter');
    expect(await page.getByLabel(WHY).inputValue()).toBe('');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Confirm');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { body } = await service.get('/admin/v1/jobs?limit=1', actor.key);
    expect(body.data.items).toEqual([expect.objectContaining({ kind: 'verify', reason: 'by keyboard' })]);
    expect(unexpected(console)).toEqual([]);
  });

  it('hostile texts in every field of the log-in, settings and operations run nothing', async () => {
    const stranger = await started.browser.open();
    await stranger.page.goto(`${service.address}/console`);
    for (const text of HOSTILE) {
      await stranger.page.getByLabel('API key').fill(text);
      await stranger.page.getByRole('button', { name: 'Log in' }).click();
      await stranger.page.getByRole('alert').getByText('API key invalid').waitFor();
    }
    const asOwner = await open(owner);
    for (const name of SECTIONS)
      for (const text of HOSTILE) {
        await settings(asOwner.page, name);
        const opener = asOwner.page.getByRole('button', { name: /^(Issue a key|New (goal|unit|rule))$/ });
        if (name !== 'bot' && name !== 'webhook') await opener.click();
        const form = asOwner.page.locator('form:has(input)').first();
        await form.waitFor();
        const fields = form.locator('input[type=text], input[type=password]');
        for (const field of await fields.all()) await field.fill(text);
        const answer = asOwner.page.waitForResponse((response) => response.request().method() === 'POST');
        await form.getByRole('button').last().click();
        await answer;
      }
    const asOperator = await open(actor.operatorKey);
    for (const text of HOSTILE) {
      await section(asOperator.page, 'Read models').getByRole('button', { name: 'Verify users' }).click();
      await asOperator.page.getByLabel(WHY).fill(text);
      await asOperator.page.getByRole('button', { name: 'Confirm' }).click();
      await asOperator.page.getByRole('dialog').waitFor({ state: 'detached' });
      await section(asOperator.page, 'Jobs').getByText(text).first().waitFor();
      await section(asOperator.page, 'Read models').getByRole('button', { name: 'Verify users' }).waitFor();
    }
    for (const console of [stranger, asOwner, asOperator]) expect(unexpected(console)).toEqual([]);
  });
});
