import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, CHROMIUM, HOSTILE, shoot } from '../../support/browser.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

const LONG = 'x'.repeat(250);
const EVENTS = ['performed_event', { event_id: 1, period_days: 0 }];
/** Groups in groups: no form shows them. */
const NESTED = ['and', ['or', EVENTS], EVENTS];
const NOT = ['not', ['=', 'users.language_code', 'de']];

describe.skipIf(CHROMIUM === undefined)('the pages of segments', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot();
    for (const [id, language_code] of ['de', 'de', 'en'].entries()) {
      const from = { id: id + 1, is_bot: false, first_name: 'Ada', language_code };
      const message = { message_id: 1, date: 1767225600, chat: { id: id + 1, type: 'private' }, from, text: '/start' };
      await post('send-update', { update: { update_id: id + 1, message } });
    }
    for (const name of [...HOSTILE, LONG])
      await post('saved-segments/save', { name, conditions: { event_filters: EVENTS } });
    await service.projected();
  });
  afterAll(() => started?.stop());

  async function post(path: string, body: unknown) {
    const { status, body: answer } = await service.post(`/v1/${path}`, body, { 'api-key': bot.apiKey });
    expect(status, JSON.stringify(answer)).toBe(200);
    return answer.data;
  }
  const get = async (path: string) => (await service.get(`/v1/${path}`, { 'api-key': bot.apiKey })).body.data;
  const show = (page: Page, path: string): Promise<unknown> => page.goto(`${service.address}/console/${path}`);

  it('makes a segment, counts it, edits it, writes to it, reports it and deletes it', async () => {
    const { page, complaints } = await started.logIn(bot.apiKey);
    await show(page, 'segments');
    await page.getByRole('link', { name: 'New segment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Germans');
    await page.getByText('Add a condition to count people.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Add a filter' }).click();
    await page.getByLabel('Value', { exact: true }).fill('de');
    await page.keyboard.press('Tab');
    await page.getByText('2 people now').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Germans', level: 1 }).waitFor();
    const id = Number(/segments\/(\d+)/.exec(page.url())![1]);
    const saved = (): Promise<unknown> => get(`saved-segments/get?saved_segment_id=${id}`);
    expect(await saved()).toMatchObject({
      name: 'Germans',
      conditions: { user_conditions: ['=', 'users.language_code', 'de'] },
    });
    await page.getByLabel('Name', { exact: true }).fill('Readers of German');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Readers of German', level: 1 }).waitFor();
    expect(await saved()).toMatchObject({ name: 'Readers of German' });

    const report = await page.getByRole('link', { name: 'Report of these' }).getAttribute('href');
    expect(new URL(report!, service.address).searchParams.get('report')).toContain(`user.saved_segments.${id}`);
    await page.getByRole('button', { name: 'Write to these' }).click();
    await page.waitForURL(/broadcasts\?.*id=\d+/);
    const draft = /id=(\d+)/.exec(page.url())![1];
    expect(await get(`broadcast/get?id=${draft}`)).toMatchObject({
      segmentations: { include: [{ type: 'saved', config: { saved_segment_id: id } }], exclude: [] },
    });
    await show(page, `segments/${id}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Segments', level: 1 }).waitFor();
    await expect.poll(async () => (await get('saved-segments/list')).items.length).toBe(HOSTILE.length + 1);
    expect(complaints).toEqual([]);
  });

  it('saves nothing while a condition has no value, since the segment would be wider than the page shows', async () => {
    const conditions = { user_conditions: ['=', 'users.language_code', 'de'] };
    const { saved_segment_id } = await post('saved-segments/save', { name: 'Half written', conditions });
    const { page } = await started.logIn(bot.apiKey);
    await show(page, `segments/${saved_segment_id}`);
    await page.getByText('2 people now').waitFor();
    await page.getByRole('button', { name: 'Add a filter' }).click();
    await page.getByText('A condition has no value yet.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await page.getByText(/people now/).count()).toBe(0);
    await post('saved-segments/delete', { saved_segment_id });
  });

  it('edits the conditions on events, which count at once', async () => {
    await post('send-event', [
      { event: 'order_paid', user_id: 1 },
      { event: 'catalog_opened', user_id: 2 },
    ]);
    await service.projected();
    const { page, complaints } = await started.logIn(bot.apiKey);
    await show(page, 'segments/new');
    await page.getByLabel('Name', { exact: true }).fill('Buyers');
    const events = page.getByRole('group', { name: 'Conditions on events' });
    await events.getByRole('button', { name: 'Add an event' }).click();
    await page.getByText('2 people now').waitFor();
    await events.getByRole('button', { name: 'Event: Any event' }).click();
    await page.getByRole('option', { name: 'Order paid' }).click();
    await page.getByText('1 person now').waitFor();
    await events.getByLabel('Whether the user has the event').selectOption('does not have the event');
    await page.getByText('2 people now').waitFor();
    await events.getByRole('button', { name: 'Add a filter' }).click();
    await page.getByText('A condition has no value yet.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await events
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click();
    await events.getByLabel('within days').fill('7');
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Buyers', level: 1 }).waitFor();
    const saved_segment_id = Number(/segments\/(\d+)/.exec(page.url())![1]);
    const { conditions } = await get(`saved-segments/get?saved_segment_id=${saved_segment_id}`);
    const [name, rule] = conditions.event_filters;
    expect([name, Object.keys(conditions)]).toEqual(['performed_event', ['event_filters']]);
    expect(rule).toMatchObject({ event_id: expect.any(Number), negation: true, period_days: 7 });
    await page.reload();
    await events.getByRole('button', { name: 'Event: Order paid' }).waitFor();
    await post('saved-segments/delete', { saved_segment_id });
    expect(complaints).toEqual([]);
  });

  it('keeps the conditions that it does not edit', async () => {
    const conditions = { user_conditions: NOT, event_filters: NESTED };
    const { saved_segment_id } = await post('saved-segments/save', { name: 'By a program', conditions });
    const { page } = await started.logIn(bot.apiKey);
    await show(page, `segments/${saved_segment_id}`);
    await page.getByText('1 person now').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Renamed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Renamed', level: 1 }).waitFor();
    expect(await get(`saved-segments/get?saved_segment_id=${saved_segment_id}`)).toMatchObject({
      ...{ name: 'Renamed', conditions },
    });
  });

  it.each([
    { dark: false, width: 1440 },
    { dark: true, width: 360 },
  ])('has no axe finding and fits $width px, dark: $dark', async ({ dark, width }) => {
    const { page, complaints } = await started.logIn(bot.apiKey, { dark, width });
    const { items } = await get('saved-segments/list');
    const { saved_segment_id } = items.find(({ name }: { name: string }) => name === LONG);
    for (const path of ['segments', 'segments/new', `segments/${saved_segment_id}`]) {
      await show(page, path);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0);
      expect.soft(await axeFindings(page), path).toEqual([]);
      expect.soft(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(width);
      await shoot(page, `${path.replace(/\W/g, '-')}-${width}`);
    }
    expect(complaints).toEqual([]);
  });
});
