import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../src/commands/referral/accounts.ts';
import { accrueRewards } from '../../../src/commands/referral/accrue-rewards.ts';
import { endAttempt, giveUp, type PayoutKey } from '../../../src/commands/referral/announce-payout.ts';
import { setPayoutWebhook } from '../../../src/commands/referral/payout-webhook.ts';
import { item } from '../../support/account-samples.ts';
import { hasEnded, launch, until } from '../../support/broadcasts.ts';
import { axeFindings, CHROMIUM, type ConsolePage, HOSTILE, shoot } from '../../support/browser.ts';
import { aKey } from '../../support/catalog.ts';
import { section } from '../../support/operations-page.ts';
import { createOperator, type TestOperator } from '../../support/operators.ts';
import { referralCaller } from '../../support/referral.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { type SendingConsole, startSendingConsole } from '../../support/test-console.ts';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver.ts';

/** User ids are the ids of HOSTILE's names; the first is also a referrer. */
const USERS = HOSTILE.map((first_name, index) => ({ id: index + 1, first_name }));
const REFERRER = 1;
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const [DELIVERY_ERROR, PAYOUT_ERROR] = [HOSTILE[1]!, HOSTILE[2]!];
/** A code is 1 to 64 of letters, digits, `_` and `-`. */
const CODE = '__proto__';

interface Shown {
  readonly name: string;
  readonly path: string;
  /** Hostile texts that the page shows. */
  readonly hostile: readonly string[];
  /** Prepares the page before axe looks at it. */
  readonly act?: (page: Page) => Promise<unknown>;
}

describe.skipIf(CHROMIUM === undefined)('every page of the console', () => {
  let started: SendingConsole;
  let client: WebhookReceiver;
  let service: TestService;
  let bot: TestBot;
  let owner: string;
  let operator: TestOperator;
  /** The id of a broadcast that was sent, and of a draft. */
  let sent: number;
  let draft: number;
  /** Ids of the events that are named after HOSTILE. */
  let events: readonly number[];

  beforeAll(async () => {
    client = await webhookReceiver();
    const webhooks = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_RETRY_DELAYS: '0' };
    started = await startSendingConsole({ ADMIN_API: 'on', ...webhooks });
    ({ service, bot } = started);
    owner = (await aKey(service.commands, bot.ownerId, 'all', { kind: 'owner', name: HOSTILE[0]! })).apiKey;
    operator = await createOperator(service, 'act', HOSTILE[0]);
    await fillEvents();
    await fillSettings();
    await fillReferrals();
    await fillBroadcasts();
    await service.projected();
  });
  afterAll(async () => {
    await started?.stop();
    await client?.close();
  });

  const call = () => referralCaller(service, bot);
  async function post(path: string, body: unknown) {
    const answer = await service.post(`/v1/${path}`, body, { 'api-key': owner, 'resource-key': bot.publicKey });
    expect(answer, path).toMatchObject({ status: 200 });
    return answer.body.data;
  }

  async function fillEvents(): Promise<void> {
    const date = Date.parse(`${DAY}T10:00:00Z`) / 1000;
    for (const { id, first_name } of USERS) {
      const from = { id, is_bot: false, first_name, language_code: id % 2 === 0 ? 'de' : 'en' };
      const text = '/start source-ads_campaign-may';
      const entities = [{ type: 'bot_command', offset: 0, length: 6 }];
      const message = { message_id: id, date, chat: { id, type: 'private' }, from, text, entities };
      await post('send-update', { update: { update_id: 1000 + id, message } });
    }
    const at = `${DAY}T11:00:00.000Z`;
    const named = HOSTILE.map((event, index) => ({ event, user_id: index + 1, date: at, category: event }));
    await post('send-event', [...named, { event: HOSTILE[0], user_id: 404, date: at }]);
    await post('send-target', [{ target_id: 1, user_id: 1, value: 12.5, unit: 'USD', date: at }]);
    await service.projected();
    const { body } = await service.get('/v1/reports/events', { 'api-key': bot.apiKey });
    const known: { event_id: number; name: string }[] = body.data.items;
    events = HOSTILE.map((text) => known.find(({ name }) => name === text)!.event_id);
    const requests = [{ type: 'trend', event_id: null, event_name: 'all', agr: 'total' }];
    const settings = { params: { ':date_from': `${DAY} 00:00:00`, ':date_to': `${DAY} 23:59:59` } };
    const report_config = { source_request: { type: 'trends', type_chart: 'line', requests }, settings };
    for (const name of HOSTILE) {
      const { uuid } = await post('reports/save', { name, report_config });
      const conditions = { user_conditions: ['=', 'users.language_code', name] };
      await post('saved-segments/save', { name, conditions });
      if (name === HOSTILE[0]) await post('reports/pin', { uuid, pinned: true });
    }
  }

  async function fillSettings(): Promise<void> {
    for (const [index, name] of HOSTILE.entries()) {
      await post('settings/keys/issue', { bots: 'all', name });
      await post('settings/goals/create', { target_id: index + 2, name });
      await post('settings/units/create', { code: `H${index}`, name });
      await post('settings/rules/create', { name, trigger_event_id: 1, reward_type: 'percent', percent: 1 });
    }
  }

  /** One payout whose attempt failed, and one that was given up after its attempt began. */
  async function fillReferrals(): Promise<void> {
    const accounts = createAccounts(service.commands);
    await setPayoutWebhook(service.commands, bot.publicKey, client.url);
    const ends: ((key: PayoutKey) => Promise<void>)[] = [
      (key) =>
        endAttempt(
          accounts,
          key,
          1,
          { result: 'gone', sent: true, status: null, error: DELIVERY_ERROR, retryAfter: null },
          [0],
        ),
      (key) => giveUp(accounts, key, PAYOUT_ERROR),
    ];
    for (const [index, end] of ends.entries()) {
      const received = service.commands.sources.now();
      const items = Array.from({ length: 3 }, (_, n) => {
        const each = item(index * 3 + n, { rule: { rule_id: 1, unit_id: null } });
        return { ...each, event: { ...each.event, date: received, received } };
      });
      await accrueRewards(accounts, { bot: bot.publicKey, referrer: REFERRER, items });
      await service.projected();
      // Without an answer the attempt stays open.
      const attempted = new Promise<void>((resolve) => client.answers(() => resolve()));
      const { payout_id: payoutId } = await call().data('payout', { user_id: REFERRER });
      await attempted;
      await end({ bot: bot.publicKey, userId: REFERRER, payoutId });
    }
    for (const code of HOSTILE)
      expect(await call().post('set-code-owners', [{ code, user_id: REFERRER }]), code).toMatchObject({
        status: 400,
        body: { details: [{ path: '0.code' }] },
      });
    await call().data('set-code-owners', [{ code: CODE, user_id: REFERRER }]);
    await call().visit(USERS.length + 1, CODE, Date.parse(`${DAY}T12:00:00Z`));
  }

  async function fillBroadcasts(): Promise<void> {
    started.platform.behave(({ chatId }) =>
      chatId === 2 ? { error: { code: 403, description: `Forbidden: ${HOSTILE[0]}` } } : undefined,
    );
    for (const name of HOSTILE) {
      const message = { text: `${HOSTILE[3]} {{user.first_name}}` };
      const include = [{ type: 'all', config: {} }];
      const made = await post('broadcast/create', {
        ...{ type: 'sendMessage', name, message },
        segmentations: { include, exclude: [] },
      });
      draft = made.id;
    }
    sent = await launch(service, bot, { chats: USERS.map(({ id }) => id), message: { text: HOSTILE[0]! } });
    await until(service, sent, hasEnded);
  }

  const report = (state: object): string =>
    `reports/new?report=${encodeURIComponent(JSON.stringify({ period: { from: DAY, to: DAY }, ...state }))}`;
  const counted = (index: number, agr = 'total') => ({ event: events[index], name: HOSTILE[index], agr });

  function pagesOfOwner(): readonly Shown[] {
    const metrics = HOSTILE.map((_, index) => counted(index));
    const broken = { metrics: [{ event: null, name: 'all', agr: 'total' }], breakdown: ['events.category'] };
    const steps = [counted(0), counted(1)];
    const names = [HOSTILE[0]!, HOSTILE[1]!];
    const settings = ['bot', 'keys', 'goals', 'units', 'rules', 'webhook', 'look', 'plan'];
    const list = { columns: ['user.first_name', 'user.addition_fields.referral_code', 'events.category'], limit: 50 };
    return [
      { name: 'the dashboard', path: 'dashboard', hostile: [HOSTILE[0]!, ...HOSTILE.slice(-4)] },
      { name: 'the latest events', path: 'live', hostile: HOSTILE },
      { name: 'the users', path: 'users', hostile: HOSTILE },
      { name: 'a person', path: `users/${REFERRER}`, hostile: [HOSTILE[0]!] },
      ...['line', 'bar', 'area', 'pie', 'number'].map((chart) => ({
        ...{ name: `a report as ${chart}`, path: report({ chart, metrics }), hostile: HOSTILE },
      })),
      { name: 'the saved reports', path: 'reports', hostile: HOSTILE },
      { name: 'a table', path: report({ chart: 'table', ...broken }), hostile: HOSTILE },
      {
        name: 'a comparison',
        path: report({ chart: 'line', metrics, compare: true, granularity: 'hour' }),
        hostile: HOSTILE,
      },
      { name: 'campaigns', path: report({ type: 'utm', chart: 'utm_table', metrics }), hostile: HOSTILE },
      { name: 'lines of campaigns', path: report({ type: 'utm', chart: 'utm_trends', metrics }), hostile: HOSTILE },
      { name: 'a funnel', path: report({ type: 'funnels', metrics: steps }), hostile: names },
      { name: 'retention', path: report({ type: 'retention', metrics: steps }), hostile: [] },
      {
        name: 'lines of retention',
        path: report({ type: 'retention', metrics: steps, retention: { view: 'lines' } }),
        hostile: [],
      },
      {
        name: 'a list with a code',
        path: report({ type: 'list', list }),
        hostile: HOSTILE,
        act: (page) => page.getByRole('cell', { name: CODE, exact: true }).first().waitFor(),
      },
      {
        name: 'the users behind a number',
        path: report({ chart: 'number', metrics: [{ event: null, name: 'all', agr: 'total' }] }),
        hostile: HOSTILE,
        act: async (page) => {
          await page.locator('.answer button.cell').first().click();
          await page.getByRole('dialog').getByRole('table').waitFor();
        },
      },
      { name: 'the broadcasts', path: 'broadcasts', hostile: HOSTILE },
      { name: 'a new broadcast', path: 'broadcasts/new', hostile: [] },
      {
        name: 'the question before a launch',
        path: `broadcasts/${draft}/edit`,
        hostile: [HOSTILE[3]!],
        act: async (page) => {
          await page.getByText(/recipients? now/).waitFor();
          await page.getByRole('button', { name: 'Launch…' }).click();
          await page
            .getByRole('dialog')
            .getByText(/^\d+ as of /)
            .waitFor();
        },
      },
      {
        name: 'a broadcast that was sent',
        path: `broadcasts/${sent}`,
        hostile: [HOSTILE[0]!],
        act: (page) => page.getByRole('cell', { name: 'delivered' }).first().waitFor(),
      },
      { name: 'the referrers', path: 'referrals', hostile: [HOSTILE[0]!] },
      { name: 'the payouts', path: 'referrals?view=payouts', hostile: [HOSTILE[0]!, DELIVERY_ERROR, PAYOUT_ERROR] },
      { name: 'the rules', path: 'referrals?view=rules', hostile: HOSTILE },
      {
        name: 'an account',
        path: `referrals?user=${REFERRER}`,
        hostile: [HOSTILE[0]!, DELIVERY_ERROR, PAYOUT_ERROR],
        act: async (page) => {
          await page.getByText('Hashes of the account in the log').click();
          await page.locator('.chain tbody tr').first().waitFor();
        },
      },
      { name: 'the events', path: 'events', hostile: HOSTILE },
      { name: 'the segments', path: 'segments', hostile: HOSTILE },
      { name: 'the exports', path: 'exports', hostile: [] },
      ...settings.map((name) => ({
        name: `the settings, ${name}`,
        path: `settings/${name}`,
        hostile: ['keys', 'goals', 'units', 'rules'].includes(name)
          ? HOSTILE
          : name === 'webhook'
            ? [DELIVERY_ERROR]
            : [],
      })),
      {
        name: 'the question before a key is revoked',
        path: 'settings?section=keys',
        hostile: HOSTILE,
        act: async (page) => {
          await page
            .getByRole('button', { name: /^Revoke/ })
            .first()
            .click();
          await page.getByRole('dialog').waitFor();
        },
      },
      { name: 'a page that is not there', path: 'nosuch', hostile: [] },
      { name: 'the page of operators', path: `operations?user=${REFERRER}`, hostile: [] },
      { name: 'a bot that is not there', path: `dashboard?bot=${encodeURIComponent(HOSTILE[0]!)}`, hostile: [] },
    ];
  }

  const pagesOfOperator = (): readonly Shown[] => [
    {
      name: 'the operations',
      path: 'operations',
      hostile: [],
      act: (page) => section(page, 'Bot errors of the last 7 days').getByRole('button').waitFor(),
    },
    {
      name: 'the question before an audit',
      path: `operations?bot=${bot.publicKey}&user=${REFERRER}`,
      hostile: [],
      act: async (page) => {
        await page.getByRole('button', { name: 'Audit this account' }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
  ];

  /** Waits until all that the page asks for is there. A closed list asks for nothing yet. */
  async function settled(page: Page): Promise<void> {
    await page.locator('h1').first().waitFor();
    const waits = page.locator('[aria-busy="true"]').or(page.getByText(/^(Loading|Running)…$/));
    await expect.poll(() => waits.filter({ visible: true }).count()).toBe(0);
  }

  async function look({ page, complaints }: ConsolePage, shown: Shown, { width, shot }: Variant): Promise<void> {
    await page.goto(`${service.address}/console/${shown.path}`);
    await settled(page);
    await shown.act?.(page);
    await settled(page);
    expect.soft(await axeFindings(page), shown.name).toEqual([]);
    expect.soft(await page.evaluate('document.documentElement.scrollWidth'), shown.name).toBeLessThanOrEqual(width);
    const text = (await page.locator('body').textContent())!;
    expect
      .soft(
        shown.hostile.filter((each) => !text.includes(each)),
        shown.name,
      )
      .toEqual([]);
    expect.soft(complaints, shown.name).toEqual([]);
    await shoot(page, `every-${shown.name.replaceAll(' ', '-')}-${shot}`);
  }

  interface Variant {
    readonly shot: string;
    readonly dark: boolean;
    readonly width: number;
  }

  it.each<Variant>([
    { shot: 'light', dark: false, width: 1280 },
    { shot: 'dark', dark: true, width: 1280 },
    { shot: 'light-360', dark: false, width: 360 },
    { shot: 'dark-360', dark: true, width: 360 },
  ])('has no axe finding and no complaint, fits, and shows hostile names as text ($shot)', async (variant) => {
    const stranger = await started.browser.open(variant);
    await look(stranger, { name: 'the log-in', path: '', hostile: [] }, variant);
    const asOwner = await started.logIn(owner, variant);
    for (const shown of pagesOfOwner()) await look(asOwner, shown, variant);
    const asOperator = await started.logIn(operator.operatorKey, variant);
    for (const shown of pagesOfOperator()) await look(asOperator, shown, variant);
    for (const { page } of [stranger, asOwner, asOperator]) await page.context().close();
  });
});
