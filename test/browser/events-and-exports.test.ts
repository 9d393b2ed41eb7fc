import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, CHROMIUM, HOSTILE, shoot } from '../support/browser.ts';
import { aKey } from '../support/catalog.ts';
import type { TestBot, TestService } from '../support/service.ts';
import { startConsole, type TestConsole } from '../support/test-console.ts';

const LONG = 'x'.repeat(250);

describe.skipIf(CHROMIUM === undefined)('the pages Events and Exports', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;
  let owner: string;

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot();
    owner = (await aKey(service.commands, bot.ownerId, 'all', { kind: 'owner', name: 'Owner' })).apiKey;
    const from = { id: 7, is_bot: false, first_name: 'Ada' };
    const message = { message_id: 1, date: 1767225600, chat: { id: 7, type: 'private' }, from, text: '/start' };
    await post('send-update', { update: { update_id: 1, message } });
    const names = [...HOSTILE, LONG, 'order_paid', 'order_paid', 'order_paid'];
    await post(
      'send-event',
      names.map((event) => ({ event, user_id: 7, value_str: '=1+1' })),
    );
    await post('send-target', [{ target_id: 1, user_id: 7, value: 5, unit: 'USD' }]);
    await service.projected();
  });
  afterAll(() => started?.stop());

  async function post(path: string, body: unknown): Promise<void> {
    const { status, body: answer } = await service.post(`/v1/${path}`, body, { 'api-key': bot.apiKey });
    expect(status, JSON.stringify(answer)).toBe(200);
  }
  async function events(): Promise<Readonly<Record<string, unknown>>[]> {
    const { body } = await service.get('/v1/reports/events', { 'api-key': bot.apiKey });
    return body.data.items;
  }
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
  const show = (page: Page, path: string): Promise<unknown> => page.goto(`${service.address}/console/${path}`);

  it('lists each event with the counts of the API, found by the text in the address', async () => {
    const { page, complaints } = await started.logIn(bot.apiKey);
    await show(page, 'events?events_find=paid');
    await row(page, 'Order paid').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('paid');
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByRole('searchbox').fill('');
    await row(page, HOSTILE[0]!).waitFor();
    for (const { name, count } of (await events()).filter((event) => event['kind'] === 'custom'))
      if (name !== 'order_paid') expect(await row(page, String(name)).getByText(`${count}`).count()).toBeGreaterThan(0);
    // This key reads only.
    expect(await page.getByRole('button', { name: /^Edit/ }).count()).toBe(0);
    await page.getByRole('radio', { name: 'Goals' }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await row(page, 'Sale').getByRole('link', { name: 'Sale, 1 ×: open the report' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('gives an event words for people, hides it, and takes the words away', async () => {
    const { page, complaints } = await started.logIn(owner);
    await show(page, 'events');
    await page.getByRole('button', { name: 'Edit Order paid' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByLabel('Name for people').fill(HOSTILE[1]!);
    await drawer.getByLabel('What it means').fill('The shop has the money.');
    await drawer.getByLabel('Hide it').check();
    await drawer.getByRole('button', { name: 'Save' }).click();
    await row(page, 'The shop has the money.').getByText('Hidden').waitFor();
    expect(await events()).toContainEqual(
      expect.objectContaining({
        ...{ name: 'order_paid', title: HOSTILE[1], description: 'The shop has the money.', hidden: true, count: 3 },
      }),
    );
    await row(page, 'order_paid').getByRole('button').first().click();
    await drawer.getByLabel('Name for people').fill('y'.repeat(251));
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.getByRole('alert').first().waitFor();
    await drawer.getByLabel('Name for people').fill('');
    await drawer.getByLabel('What it means').fill('');
    await drawer.getByLabel('Hide it').uncheck();
    await drawer.getByRole('button', { name: 'Save' }).click();
    await row(page, 'Order paid').waitFor();
    expect(await events()).toContainEqual(
      expect.objectContaining({ name: 'order_paid', title: null, description: null, hidden: false }),
    );
    // The refused change is a 400. Chromium reports it as a failed load.
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });

  it('names an event by its title in the question, the pickers and the CSV of a report, without hidden events', async () => {
    const event_id = (await events()).find(({ name }) => name === 'order_paid')!['event_id'];
    const describe = async (body: object): Promise<void> => {
      const headers = { 'api-key': owner, 'resource-key': bot.publicKey };
      expect((await service.post('/v1/settings/events/describe', body, headers)).status).toBe(200);
    };
    await describe({ event_id, title: 'Purchase' });
    await describe({ event_id: 1, hidden: true });
    const { page, complaints } = await started.logIn(bot.apiKey);
    const metrics = [{ event: event_id, name: 'order_paid', agr: 'total' }];
    await show(page, `reports/new?report=${encodeURIComponent(JSON.stringify({ metrics }))}`);
    await page.getByRole('button', { name: 'Event 1: Purchase' }).click();
    await page.getByRole('button', { name: 'Event: Purchase' }).click();
    const search = page.getByRole('combobox', { name: 'Find: Event' });
    await search.fill('order_paid');
    await page.getByRole('option', { name: 'Purchase' }).waitFor();
    await search.fill('start');
    await page.getByText('Nothing matches.').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const csv = readFileSync(await (await download).path(), 'utf8');
    expect(csv).toContain('Purchase');
    expect(csv).not.toContain('order_paid');
    await describe({ event_id, title: '' });
    await describe({ event_id: 1, hidden: false });
    expect(complaints).toEqual([]);
  });

  it.each(['csv', 'ndjson', 'parquet'])(
    'saves the whole export as %s in a file that says its content',
    async (format) => {
      const { page, complaints } = await started.logIn(bot.apiKey);
      await show(page, `exports?format=${format}&from=2026-01-01`);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe(`Bot, Events, from 2026-01-01.${format}`);
      await page.getByText(/ is whole: /).waitFor();
      if (format !== 'parquet')
        expect(readFileSync(await file.path())).toEqual(
          Buffer.from(
            await (
              await fetch(`${service.address}/v1/export/events?format=${format}&from=2026-01-01`, {
                headers: { 'api-key': bot.apiKey, 'resource-key': bot.publicKey },
              })
            ).arrayBuffer(),
          ),
        );
      expect(complaints).toEqual([]);
    },
  );

  it('guards formulas unless texts are asked for as they were sent, and says why an export failed', async () => {
    const { page } = await started.logIn(bot.apiKey);
    await show(page, 'exports');
    const saved = async (): Promise<string> => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export', exact: true }).click();
      return readFileSync(await (await download).path(), 'utf8');
    };
    expect(await saved()).toContain("'=1+1");
    await page.getByLabel('Write texts exactly').check();
    expect(await saved()).not.toContain("'=1+1");
    await page.getByLabel('First day').fill('2026-02-02');
    await page.getByLabel('Last day').fill('2026-02-01');
    await page.getByText('The first day must not be after the last day.').waitFor();
    expect(await page.getByRole('button', { name: 'Export', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Last day').fill('');
    await page.route('**/v1/export/**', (route) => route.fulfill({ status: 429, json: { error: 'One at once.' } }));
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('alert').getByText('One at once.').waitFor();
  });

  it.each([
    { dark: false, width: 1440 },
    { dark: true, width: 1440 },
    { dark: false, width: 360 },
    { dark: true, width: 360 },
  ])('has no axe finding and fits $width px, dark: $dark', async ({ dark, width }) => {
    const { page, complaints } = await started.logIn(owner, { dark, width });
    const id = (await events()).find(({ name }) => name === LONG)!['event_id'];
    for (const path of ['events', `events?event=${id}`, 'exports']) {
      await show(page, path);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
      expect.soft(await axeFindings(page), path).toEqual([]);
      expect.soft(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
      await shoot(page, `${path.replace(/\W/g, '-')}-${width}-${dark ? 'dark' : 'light'}`);
    }
    expect(complaints).toEqual([]);
  });
});
