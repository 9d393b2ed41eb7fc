import type { ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccounts } from '../../src/commands/referral/accounts.ts';
import { setPayoutWebhook } from '../../src/commands/referral/payout-webhook.ts';
import { administerPayout } from '../../src/commands/referral/payouts.ts';
import { accruals } from '../../src/processes/accruals/accrual-process.ts';
import { pause } from '../../src/util/pause.ts';
import { axeFindings, CHROMIUM, HOSTILE, shownInstant } from '../support/browser.ts';
import { longOnly, longRows } from '../support/long-only.ts';
import { processed } from '../support/processes.ts';
import { type RewardProgram, rewardProgram } from '../support/reward-program.ts';
import type { TestService } from '../support/service.ts';
import { startConsole, type TestConsole } from '../support/test-console.ts';
import { type WebhookReceiver, webhookReceiver } from '../support/webhook-receiver.ts';

/** Beyond a float: three of them have more digits than it keeps. */
const REWARD = '9999999999999.99';
/** The API's dates are UTC, the page's are of this zone. */
const ZONE = 'Asia/Kolkata';

describe.skipIf(CHROMIUM === undefined)('the console shows referrals', () => {
  let started: TestConsole;
  let service: TestService;
  let client: WebhookReceiver;
  let program: RewardProgram;
  /** A referrer whose first accrual was paid and then taken back, and who has an accrual on hold. */
  const ADA = 901;
  /** A referrer with nothing but accruals. */
  const BO = 902;

  beforeAll(async () => {
    client = await webhookReceiver();
    started = await startConsole({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_RETRY_DELAYS: '0,1' });
    ({ service } = started);
    program = await rewardProgram(service, ZONE);
    await fill();
  });
  afterAll(async () => {
    await started.stop();
    await client.close();
  });

  async function fill(): Promise<void> {
    const { bot, call } = program;
    await setPayoutWebhook(service.commands, bot.publicKey, client.url);
    for (const [index, id] of [ADA, BO].entries()) {
      const from = { id, is_bot: false, first_name: HOSTILE[index], username: 'ada' };
      const message = { message_id: 1, date: 1_760_000_000, chat: { id, type: 'private' }, from, text: 'hello' };
      const update = { update_id: 900_000 + id, message };
      expect((await service.post('/v1/send-update', { update }, { 'api-key': bot.apiKey })).status).toBe(200);
    }
    await program.rule({ name: HOSTILE[2]!, amount: REWARD });
    await program.rule({ name: 'Held', amount: '0.1', hold_days: '30' });
    const order = async (referrer: number): Promise<void> => {
      await program.send({ user_id: await program.referral(referrer) });
      await service.projected();
      await processed(service, accruals.name);
      await service.projected();
    };
    await order(ADA);
    const { payout_id: payoutId } = await call.data('payout', { user_id: ADA, method: 'manual' });
    const accounts = createAccounts(service.commands);
    await administerPayout(accounts, { bot: bot.publicKey, userId: ADA, payoutId, action: 'confirm', force: false });
    await service.projected();
    const [first] = (await call.data(`entries?user_id=${ADA}&payout_id=${payoutId}`)).entries;
    // A moment is a second: the history has several.
    await pause(1000);
    await call.data('reverse-accrual', { accrual_id: first.accrual_id, reason: HOSTILE[1] });
    for (let n = 0; n < 3; n++) await order(BO);
  }

  const url = (query: Readonly<Record<string, string>> = {}): string =>
    `${service.address}/console/referrals?${new URLSearchParams({ bot: program.bot.publicKey, ...query })}`;

  /** The shown balance of the only unit, at the moment of the heading. */
  const balance = (page: Page): Promise<string[]> => page.locator('.balances .figure').allTextContents();
  async function balanceOfApi(user: number, at?: string): Promise<string[]> {
    const query = new URLSearchParams({ user_id: `${user}`, ...(at === undefined ? {} : { at }) });
    const answer = await fetch(`${service.address}/v1/referral/balance?${query}`, {
      headers: { 'api-key': program.bot.apiKey },
    });
    const text = await answer.text();
    const exact = (key: string): string => {
      const digits = new RegExp(`"${key}":(-?[0-9.]+)`).exec(text)![1]!;
      return new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 }).format(digits as never).replace('-', '−');
    };
    return ['available', 'on_hold', 'reserved', 'paid'].map(exact);
  }

  it('lists referrers with names as text, ordered by any amount, and leads to each', async () => {
    const console = await started.logIn(program.bot.apiKey);
    const { page } = console;
    await page.goto(url());
    const names = page.locator('tbody th a');
    await expect.poll(() => names.allTextContents()).toEqual([`${HOSTILE[1]} @ada`, `${HOSTILE[0]} @ada`]);
    expect(await page.locator('tbody').first().textContent()).toContain('29,999,999,999,999.97');
    await page.getByLabel('Largest first by').selectOption('paid');
    await expect.poll(() => names.first().textContent()).toBe(`${HOSTILE[0]} @ada`);
    await page.goBack();
    await expect.poll(() => names.first().textContent()).toBe(`${HOSTILE[1]} @ada`);
    await names.first().click();
    await expect.poll(() => page.locator('h1').textContent()).toBe(`${HOSTILE[1]} @ada`);
    await page.goto(url({ view: 'rules' }));
    await page.getByRole('rowheader', { name: HOSTILE[2]! }).waitFor();
    expect(console.complaints).toEqual([]);
  });

  it('shows the balance of any moment as the API has it, by a date and by the slider', async () => {
    const console = await started.logIn(program.bot.apiKey);
    const { page } = console;
    await page.goto(url({ user: `${ADA}` }));
    await expect.poll(() => balance(page)).toEqual(await balanceOfApi(ADA));
    const { history } = await program.call.data(`history?user_id=${ADA}`);
    const moments: string[] = [...new Set<string>(history.map((line: { date: string }) => line.date))];
    expect(moments.length).toBeGreaterThan(1);
    const local = new Date(`${moments[0]}Z`).toLocaleString('sv', { timeZone: ZONE });
    await page.getByLabel('At a moment in the past').fill(local.replace(' ', 'T'));
    await page.getByLabel('At a moment in the past').press('Enter');
    await page.getByRole('heading', { name: `Balance on ${shownInstant(moments[0]!, ZONE)}` }).waitFor();
    await expect.poll(() => balance(page)).toEqual(await balanceOfApi(ADA, moments[0]));
    const slider = page.getByRole('slider');
    await page.getByRole('button', { name: 'The next change' }).click();
    await page.getByRole('heading', { name: `Balance on ${shownInstant(moments[1]!, ZONE)}` }).waitFor();
    await expect.poll(() => balance(page)).toEqual(await balanceOfApi(ADA, moments[1]));
    await slider.press('End');
    await page.getByRole('heading', { name: 'Balance now' }).waitFor();
    await expect.poll(() => balance(page)).toEqual(await balanceOfApi(ADA));
    expect(console.complaints).toEqual([]);
  });

  it('shows every line with the balance after it, what was taken back with its reason, and links both ways', async () => {
    const console = await started.logIn(program.bot.apiKey);
    const { page } = console;
    await page.goto(url({ user: `${ADA}` }));
    const rows = page.getByRole('group', { name: 'History' }).locator('tbody tr');
    const { history } = await program.call.data(`history?user_id=${ADA}`);
    await expect.poll(() => rows.count()).toBe(history.length);
    const dates = await rows.locator('td:first-child').allTextContents();
    expect(dates).toEqual(history.map((line: { date: string }) => shownInstant(line.date, ZONE)).reverse());
    await page.getByText(`Times are in ${ZONE}`).waitFor();
    const taken = rows.filter({ hasText: 'taken back after it was paid' });
    expect(await taken.textContent()).toContain(`Reason: ${HOSTILE[1]}`);
    expect(await taken.locator('td.number').first().textContent()).toBe('−9,999,999,999,999.99');
    const [{ payout_id: payoutId }] = (await program.call.data(`payouts?user_id=${ADA}`)).payouts;
    const [entry] = (await program.call.data(`entries?user_id=${ADA}&payout_id=${payoutId}`)).entries;
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement.id');
    await page.getByRole('button', { name: `in payout ${payoutId}` }).click();
    await expect.poll(focused).toBe(`payout-${payoutId}`);
    const paid = page.locator(`#payout-${payoutId}`);
    await paid.locator('summary').click();
    await paid.getByRole('button', { name: `reward ${entry.accrual_id}` }).click();
    await expect.poll(focused).toBe(`accrual-${entry.accrual_id}`);
    await page.getByText('Hashes of the account in the log').click();
    const { head, commits } = await program.call.data(`chain?user_id=${ADA}`);
    await page.getByText(head.hash).first().waitFor();
    expect(await page.locator('.chain tbody code').allTextContents()).toEqual(
      commits.map(({ hash }: { hash: string }) => hash),
    );
    expect(console.complaints).toEqual([]);
  });

  longOnly('finds referrers and payouts by name or id, and says when there is none', async () => {
    const console = await started.logIn(program.bot.apiKey);
    const { page } = console;
    await page.goto(url());
    const names = page.locator('tbody th a');
    await expect.poll(() => names.count()).toBe(2);
    await page.getByLabel('Find: Name, username or id').fill('script');
    await expect.poll(() => names.allTextContents()).toEqual([`${HOSTILE[1]} @ada`]);
    await page.getByLabel('Largest first by').selectOption('earned');
    await expect.poll(() => new URL(page.url()).searchParams.get('order')).toBe('earned');
    await expect.poll(() => names.allTextContents()).toEqual([`${HOSTILE[1]} @ada`]);
    await page.getByLabel('Find: Name, username or id').fill('%');
    await page.getByText('No referrer has this name, username or id.').waitFor();
    await page.goto(url({ view: 'payouts' }));
    const payouts = page.locator('tbody tr');
    await expect.poll(() => payouts.count()).toBe(1);
    await page.getByLabel('Find: Name, username or id').fill(`${BO}`);
    await page.getByText('No payouts are like this.').waitFor();
    await page.getByLabel('Find: Name, username or id').fill(`${ADA}`);
    await expect.poll(() => payouts.count()).toBe(1);
    await page.getByLabel('Order').selectOption('largest');
    await expect.poll(() => new URL(page.url()).searchParams.get('order')).toBe('largest');
    await expect.poll(() => payouts.count()).toBe(1);
    expect(console.complaints).toEqual([]);
  });

  it('shows how far the program reaches, as the API counts it', async () => {
    const console = await started.logIn(program.bot.apiKey);
    const { page } = console;
    await page.goto(url());
    const { visited, came, referred, referrers, rewarded, amounts } = await program.call.data('totals');
    expect([visited, referred, referrers, rewarded]).toEqual([4, 4, 2, expect.any(Number)]);
    const tile = (id: string) => page.locator(`[data-figure="${id}"]`);
    await expect
      .poll(() => tile('visited').textContent())
      .toBe(`Visited by a link4${came} of them were new to the bot`);
    expect(await tile('referred').textContent()).toBe('Users brought4by 2 referrers');
    expect(await tile('rewarded').textContent()).toBe(`Earned a reward${rewarded}of 4 users brought`);
    expect(amounts).toHaveLength(1);
    const text = await tile(`earned-${program.usd}`).textContent();
    expect(text).toContain('Earned, USD');
    expect(text).toMatch(/\d,\d{3},\d{3},\d{3}\.\d/);
    expect(console.complaints).toEqual([]);
  });

  it('copies codes and links, makes a code, and lists who was brought with links to them', async () => {
    const console = await started.logIn(program.bot.apiKey);
    const { page } = console;
    await page.goto(url({ user: `${BO}` }));
    const codes = async (): Promise<string[]> =>
      (await program.call.data(`codes?user_id=${BO}`)).codes.map(({ code }: { code: string }) => code);
    const before = await codes();
    const lines = page.locator('.code-line .cut');
    await expect.poll(() => lines.allTextContents()).toEqual(before);
    await page.getByRole('button', { name: 'Copy the code' }).first().click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(before[0]);
    await page.getByRole('button', { name: 'New code' }).click();
    await expect.poll(() => lines.count()).toBe(before.length + 1);
    expect(await lines.allTextContents()).toEqual(await codes());
    const { referrals } = await program.call.data(`referrals?user_id=${BO}`);
    const brought = page.getByRole('group', { name: 'Users brought' }).locator('tbody tr');
    const named = referrals.map(async ({ referral_id }: { referral_id: number }) => {
      const { body } = await service.get(`/v1/users/get?user_id=${referral_id}`, { 'api-key': program.bot.apiKey });
      return body.data.first_name ?? `${referral_id}`;
    });
    expect(await brought.locator('th a').allTextContents()).toEqual(await Promise.all(named));
    expect(await brought.first().locator('td').textContent()).toBe(shownInstant(referrals[0].date, ZONE));
    await brought.first().getByRole('link').click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/console/users/${referrals[0].referral_id}`);
    expect(console.complaints).toEqual([]);
  });

  it('shows a payout from its request until it is paid, with its deliveries', async () => {
    const held: ServerResponse[] = [];
    client.answers((_, response) => void held.push(response));
    const { payout_id: payoutId } = await program.call.data('payout', { user_id: BO });
    const console = await started.logIn(program.bot.apiKey);
    const { page } = console;
    await page.goto(url({ view: 'payouts' }));
    const row = page.locator(`#payout-${payoutId}`);
    await expect.poll(() => row.locator('.pill').textContent()).toBe('processing');
    await row.getByText('no answer yet').first().waitFor();
    client.answers(200);
    for (const response of held.splice(0)) response.writeHead(503).end();
    await expect.poll(() => row.locator('.pill').textContent()).toBe('paid');
    await row.locator('summary').click();
    const { payouts } = await program.call.data('all-payouts?limit=1');
    expect(payouts[0]).toMatchObject({ payout_id: payoutId, status: 2 });
    expect(await row.locator('li').allTextContents()).toEqual(
      payouts[0].deliveries.map(
        ({ at, status, error }: { at: string; status: number; error: string | null }) =>
          `${shownInstant(at, ZONE)}: ${error ?? `answered ${status}`}`,
      ),
    );
    expect(await row.textContent()).toContain('29,999,999,999,999.97');
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('No payouts are like this.').waitFor();
    expect(console.complaints).toEqual([]);
  });

  longOnly('refuses a moment that is still ahead, and an id that no user has', async () => {
    const console = await started.logIn(program.bot.apiKey);
    const { page } = console;
    await page.goto(url({ user: `${ADA}`, at: '2999-01-01 00:00:00' }));
    await page.getByRole('alert').getByText('still ahead').waitFor();
    expect(await page.locator('.balances').count()).toBe(0);
    await page.goto(url({ user: 'abc' }));
    await page.getByText('There is no such user id: “\u2068abc\u2069”').waitFor();
    await page.goto(url({ user: '999999' }));
    await page.getByText('User 999999 has no account').waitFor();
    expect(await page.getByRole('heading', { name: 'Balance now' }).count()).toBe(0);
    expect(console.complaints).toEqual([]);
  });

  longOnly('leads from a page beyond the end of a list to its first, and says what a payout waits for', async () => {
    await program.send({ user_id: await program.referral(BO) });
    await service.projected();
    await processed(service, accruals.name);
    await service.projected();
    const { payout_id: payoutId } = await program.call.data('payout', { user_id: BO, method: 'manual' });
    const console = await started.logIn(program.bot.apiKey);
    const { page } = console;
    for (const query of [{ view: 'payouts', offset: '5000' }, { offset: '5000' }]) {
      await page.goto(url(query));
      await page.getByText('There is nothing on this page of the list.').waitFor();
      await page.getByRole('link', { name: 'To the first page' }).click();
      await page.locator('tbody tr').first().waitFor();
    }
    await page.goto(url({ view: 'payouts' }));
    await page.locator(`#payout-${payoutId}`).getByText('log in with an owner key').waitFor();
    expect(console.complaints).toEqual([]);
  });

  it.each([false, ...longRows([true])])('has no axe finding (dark: %s)', async (dark) => {
    const console = await started.logIn(program.bot.apiKey, { dark });
    for (const query of [{}, { view: 'payouts' }, { view: 'rules' }, { user: `${ADA}` }]) {
      await console.page.goto(url(query));
      await console.page.locator('tbody tr').first().waitFor();
      await expect.poll(() => console.page.locator('[aria-busy="true"]').count()).toBe(0);
      expect(await axeFindings(console.page), JSON.stringify(query)).toEqual([]);
    }
    expect(console.complaints).toEqual([]);
  });

  longOnly('fits a page of 360 px, also with names, reasons and rules of 5,000 characters', async () => {
    const long = `${HOSTILE.join('')}${'W'.repeat(5000)}`;
    const from = { id: BO, is_bot: false, first_name: long, username: 'W'.repeat(64) };
    const message = { message_id: 2, date: 1_760_000_001, chat: { id: BO, type: 'private' }, from, text: 'hello' };
    const update = { update: { update_id: 999_999, message } };
    expect((await service.post('/v1/send-update', update, { 'api-key': program.bot.apiKey })).status).toBe(200);
    const [entry] = (await program.call.data(`entries?user_id=${BO}`)).entries;
    await program.call.data('reverse-accrual', { accrual_id: entry.accrual_id, reason: long });
    await service.projected();
    const console = await started.logIn(program.bot.apiKey, { width: 360 });
    for (const query of [{}, { view: 'payouts' }, { view: 'rules' }, { user: `${ADA}` }, { user: `${BO}` }]) {
      await console.page.goto(url(query));
      await console.page.locator('tbody tr').first().waitFor();
      await expect.poll(() => console.page.locator('[aria-busy="true"]').count()).toBe(0);
      const width = await console.page.evaluate('document.documentElement.scrollWidth');
      expect(width, JSON.stringify(query)).toBeLessThanOrEqual(360);
    }
    expect(await console.page.locator('h1').textContent()).toContain(long);
    expect(console.complaints).toEqual([]);
  });

  longOnly("says what to do where there is nothing, and nothing of another owner's bot is to be had", async () => {
    const other = await service.createBot();
    const { page } = await started.logIn(other.apiKey, { width: 360 });
    for (const [view, text] of [
      ['', '/v1/referral/create-code'],
      ['?view=payouts', 'No payouts yet.'],
      ['?view=rules', 'botledger rule create'],
    ]) {
      await page.goto(`${service.address}/console/referrals${view}`);
      await page.getByText(text!).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth'), text).toBeLessThanOrEqual(360);
    }
    await page.goto(url({ user: `${ADA}` }));
    await page.getByText('There is no such bot').waitFor();
    for (const path of ['referrers', 'all-payouts', 'program', `entries?user_id=${ADA}`, `chain?user_id=${ADA}`]) {
      const status = await page.evaluate(
        `fetch('/v1/referral/${path}', { headers: { 'resource-key': '${program.bot.publicKey}' } }).then((r) => r.status)`,
      );
      expect(status, path).toBe(403);
    }
  });
});
