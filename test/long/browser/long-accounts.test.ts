import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { setPayoutWebhook } from '../../../src/commands/referral/payout-webhook.ts';
import { pause } from '../../../src/util/pause.ts';
import { item } from '../../support/account-samples.ts';
import { launch } from '../../support/broadcasts.ts';
import { axeFindings, CHROMIUM, HOSTILE, type PageOptions, shoot, shownInstant } from '../../support/browser.ts';
import { aKey } from '../../support/catalog.ts';
import { referralCaller } from '../../support/referral.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { type SendingConsole, startSendingConsole } from '../../support/test-console.ts';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver.ts';

const ADA = 42;
const EARLY = 10;
const LATE = 1050;
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

describe.skipIf(CHROMIUM === undefined)('the console of a bot with a long account and many users', () => {
  let started: SendingConsole;
  let client: WebhookReceiver;
  let service: TestService;
  let bot: TestBot;
  let key: Record<string, string>;
  let owner: string;
  let payoutId: number;

  beforeAll(async () => {
    client = await webhookReceiver();
    started = await startSendingConsole({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_RETRY_DELAYS: '0' });
    ({ service, bot } = started);
    key = { 'api-key': bot.apiKey };
    owner = (await aKey(service.commands, bot.ownerId, 'all', { kind: 'owner' })).apiKey;
    for (const [index, first_name] of HOSTILE.entries()) {
      const id = index + 1;
      const from = { id, is_bot: false, first_name };
      const date = Date.parse(`${DAY}T01:00:00Z`) / 1000;
      const message = { message_id: id, date, chat: { id, type: 'private' }, from, text: '/start' };
      await service.post('/v1/send-update', { update: { update_id: id, message } }, key);
    }
    await service.post('/v1/send-event', [{ event: 'buy', user_id: 1, date: `${DAY}T02:00:00.000Z` }], key);
    await setPayoutWebhook(service.commands, bot.publicKey, client.url);
    await accrue(0, EARLY);
    client.answers(410);
    payoutId = (await call().data('payout', { user_id: ADA })).payout_id;
    await pause(1100);
    for (let from = EARLY; from < EARLY + LATE; from += 150) await accrue(from, 150);
    await service.projected();
  });
  afterAll(async () => {
    await started.stop();
    await client.close();
  });

  const call = () => referralCaller(service, bot);
  async function accrue(from: number, count: number): Promise<void> {
    const received = service.commands.sources.now();
    const items = Array.from({ length: count }, (_, index) => {
      const each = item(from + index, { rule: { rule_id: 1, unit_id: null } });
      return { ...each, event: { ...each.event, date: received, received } };
    });
    await accrueRewards(createAccounts(service.commands), { bot: bot.publicKey, referrer: ADA, items });
    await service.projected();
  }
  async function opened(path: string, apiKey = bot.apiKey, options?: PageOptions) {
    const console = await started.logIn(apiKey, options);
    await console.page.goto(`${service.address}/console/${path}`);
    return console;
  }
  const idle = (page: Page): Promise<void> =>
    expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0) as Promise<void>;

  it('the newest lines of a long history come first, and each page has the lines of the API', async () => {
    const { page, complaints } = await opened(`referrals?user=${ADA}`);
    const rows = page.getByRole('region', { name: 'History' }).locator('tbody tr');
    const ids = async (query: string) =>
      (await call().data(`history?user_id=${ADA}&order=desc&limit=50${query}`)).history.map(
        (line: { accrual_id: number }) => `accrual-${line.accrual_id}`,
      );
    const shown = (): Promise<string[]> => rows.evaluateAll((all) => all.map((row) => row.id));
    await expect.poll(shown).toEqual(await ids(''));
    await page.getByText('Chart and slider: the latest 1,000 changes').waitFor();
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect.poll(shown).toEqual(await ids('&offset=50'));
    await page.goBack();
    await expect.poll(shown).toEqual(await ids(''));
    await idle(page);
    await shoot(page, 'account');
    // From a payout to a line that is many pages away.
    await page.locator(`#payout-${payoutId} summary`).last().click();
    const link = page
      .locator(`#payout-${payoutId}`)
      .getByRole('button', { name: /^reward / })
      .first();
    const accrual = (await link.textContent())!.replace('reward ', 'accrual-');
    await link.click();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe(accrual);
    const at = new URL(page.url()).searchParams.get('at')!;
    const { balance } = await call().data(`balance?user_id=${ADA}&at=${encodeURIComponent(at)}`);
    await page.getByRole('heading', { name: `Balance on ${shownInstant(at)}` }).waitFor();
    expect(await page.locator('.balances .figure').first().textContent()).toBe(`${balance[0].available}`);
    await page.locator('.account').getByText('Counted up to').first().waitFor();
    expect(complaints).toEqual([]);
  });

  it.each([false, true])('a long account fits 360 px without an axe finding (dark: %s)', async (dark) => {
    const { page } = await opened(`referrals?user=${ADA}`, bot.apiKey, { dark, width: 360 });
    await page.getByRole('region', { name: 'History' }).waitFor();
    await idle(page);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await shoot(page, `account-360-${dark}`);
  });

  it('a second delivery whose answer was lost is asked for once', async () => {
    const { page } = await opened(`settings?bot=${bot.publicKey}&section=webhook`, owner);
    const again = page.getByRole('button', { name: `Send again payout ${payoutId}` });
    await again.waitFor();
    const before = client.calls.length;
    client.answers(200);
    await page.route('**/webhook/redeliver', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await again.click();
    await page.getByRole('alert').getByText('The service did not answer.').waitFor();
    await page.getByText('answered 200').waitFor();
    await page.unroute('**/webhook/redeliver');
    expect(client.calls.length).toBe(before + 1);
    await shoot(page, 'deliveries');
  });

  it('from a cell of a funnel to a sent broadcast, though the answer to the launch was lost', async () => {
    const reason = `Forbidden: ${HOSTILE[0]}`;
    started.platform.behave(({ chatId }) => (chatId === 2 ? { error: { code: 403, description: reason } } : undefined));
    const { body } = await service.get('/v1/reports/events', key);
    const buy = body.data.items.find(({ name }: { name: string }) => name === 'buy').event_id;
    const metrics = [
      { event: 1, name: 'start', agr: 'total' },
      { event: buy, name: 'buy', agr: 'total' },
    ];
    const state = { type: 'funnels', metrics, period: { from: DAY, to: DAY } };
    const { page } = await opened(`reports/new?report=${encodeURIComponent(JSON.stringify(state))}`);
    const users = HOSTILE.length - 1;
    await page
      .locator('.answer')
      .getByRole('button', { name: new RegExp(`^${users}: show the people of after Start`) })
      .first()
      .click();
    await page.getByRole('button', { name: 'Write to these people' }).click();
    await page.getByLabel('Name, for you').fill(HOSTILE[1]!);
    await page.getByLabel('Text', { exact: true }).fill(HOSTILE[3]!);
    await page.getByRole('region', { name: 'Size of the audience' }).getByText(`${users}`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Launch…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(new RegExp(`^${users} as of `)).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await shoot(page, 'launch');
    await page.route('**/broadcast/activate', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await dialog.getByRole('button', { name: 'Launch now' }).click();
    await page.getByText('Finished', { exact: true }).waitFor();
    await page.getByTitle(reason, { exact: true }).waitFor();
    expect(started.platform.calls.map(({ chatId }) => chatId).sort()).toEqual(HOSTILE.slice(1).map((_, at) => at + 2));
    expect(await page.locator('.outcomes dd').allTextContents()).toEqual([`${users - 1}`, '1', '0', '0', '0']);
    await idle(page);
    expect(await axeFindings(page)).toEqual([]);
    await shoot(page, 'sent');
  });

  it.each([false, true])('a broadcast that is being sent has no axe finding (dark: %s)', async (dark) => {
    const chats = Array.from({ length: 60 }, (_, at) => at + 100);
    const id = await launch(service, bot, { chats, cap: 2 });
    const { page, complaints } = await opened(`broadcasts/${id}`, bot.apiKey, { dark });
    await page.getByText('Sending', { exact: true }).waitFor();
    await page.getByRole('cell', { name: 'Delivered', exact: true }).first().waitFor();
    await idle(page);
    expect(await axeFindings(page)).toEqual([]);
    await shoot(page, `running-${dark}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    const { count_delivered } = (await service.get(`/v1/broadcast/get?id=${id}`, key)).body.data;
    // Recipients that a stop cancelled were not attempted.
    await page.getByRole('progressbar', { name: `${count_delivered} of 60 attempted` }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('broadcasts are found by a part of the name and by status', async () => {
    for (const name of HOSTILE)
      await service.post('/v1/broadcast/create', { type: 'sendMessage', name, message: { text: 'x' } }, key);
    const { page, complaints } = await opened('broadcasts');
    const names = (): Promise<string[]> => page.locator('tbody th a').allTextContents();
    await page.getByLabel('Status').selectOption('Draft');
    await expect.poll(names).toEqual(HOSTILE.toReversed());
    await page.getByRole('searchbox').fill('ALERT(1)//');
    await page.getByRole('searchbox').press('Enter');
    await expect.poll(names).toEqual([HOSTILE[3]]);
    await page.getByRole('searchbox').fill('%');
    await page.getByRole('searchbox').press('Enter');
    await page.getByText('No broadcast matches').waitFor();
    await page.goBack();
    await expect.poll(names).toEqual([HOSTILE[3]]);
    await shoot(page, 'broadcasts');
    await page.goto(`${service.address}/console/referrals?user=${encodeURIComponent(HOSTILE[0]!)}`);
    await page.getByText(`There is no such user id: “\u2068${HOSTILE[0]}\u2069”`).waitFor();
    expect(complaints).toEqual([]);
  });
});
