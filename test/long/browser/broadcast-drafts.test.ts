import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, type ConsolePage } from '../../support/browser.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { type SendingConsole, startSendingConsole } from '../../support/test-console.ts';

const VARIANTS = [
  { name: '10 % off', share: 70, message: { text: 'First text', parse_mode: 'HTML' } },
  { name: 'A gift', share: 30, message: { text: 'Second text' } },
];

describe.skipIf(CHROMIUM === undefined)('a draft opens as it was saved', () => {
  let started: SendingConsole;
  let service: TestService;
  let bot: TestBot;
  let key: Record<string, string>;

  beforeAll(async () => {
    started = await startSendingConsole();
    ({ service, bot } = started);
    key = { 'api-key': bot.apiKey };
  });
  afterAll(() => started.stop());

  const opened = (): Promise<ConsolePage> => started.logIn(bot.apiKey);
  const show = (page: Page, id: number): Promise<unknown> =>
    page.goto(`${service.address}/console/broadcasts/${id}/edit`);
  const field = (page: Page, name: string): Locator => page.getByLabel(name, { exact: true });
  const api = async (id: number) => (await service.get(`/v1/broadcast/get?id=${id}`, key)).body.data;
  const draft = async (content: object): Promise<number> =>
    (await service.post('/v1/broadcast/create', { type: 'sendMessage', ...content }, key)).body.data.id;
  const save = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByText('Saved.').waitFor();
  };

  it('with its variants, which a save of another field keeps', async () => {
    const id = await draft({ variants: VARIANTS });
    const { page, complaints } = await opened();
    await show(page, id);
    await page.getByRole('tab', { name: /10 % off/ }).waitFor();
    expect(await field(page, 'Text').inputValue()).toBe('First text');
    await page.getByRole('tab', { name: /A gift/ }).click();
    expect(await field(page, 'Text').inputValue()).toBe('Second text');
    await page.locator('.bubble').getByText('Second text').waitFor();
    await field(page, 'Name, for you').fill('named');
    await save(page);
    expect(await api(id)).toMatchObject({ name: 'named', message: {}, variants: VARIANTS });
    await field(page, 'Text').fill('Second, changed');
    await save(page);
    const changed = [VARIANTS[0], { ...VARIANTS[1], message: { text: 'Second, changed' } }];
    expect((await api(id)).variants).toEqual(changed);
    expect(complaints).toEqual([]);
  });

  it('with a saved segment by its name, also in the last question before the launch', async () => {
    const conditions = { user_conditions: ['=', 'users.is_premium', true] };
    const { saved_segment_id } = (await service.post('/v1/saved-segments/save', { name: 'Payers', conditions }, key))
      .body.data;
    const include = [{ type: 'saved', config: { saved_segment_id } }];
    const id = await draft({ message: { text: 'x' }, segmentations: { include } });
    const { page, complaints } = await opened();
    await show(page, id);
    const audience = page.getByRole('group', { name: 'Send to' });
    await audience.getByText('Payers').waitFor();
    await page.getByRole('button', { name: 'Launch…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Payers').waitFor();
    expect(await dialog.textContent()).not.toContain('Channels');
    expect((await api(id)).segmentations.include).toEqual(include);
    expect(complaints).toEqual([]);
  });

  it('and a launch at a time says that it is scheduled', async () => {
    const include = [{ type: 'list', config: { chat_ids: [1] } }];
    const id = await draft({ message: { text: 'x' }, segmentations: { include }, date_send: '2090-01-02 18:00:00' });
    const { page, complaints } = await opened();
    await show(page, id);
    await page.getByRole('button', { name: /^Schedule for/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Schedule this broadcast?' }).waitFor();
    await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText(/Scheduled for Jan 2, 2090/).waitFor();
    expect(await page.getByText(/Launched/).count()).toBe(0);
    expect(await api(id)).toMatchObject({ status: 1 });
    expect(complaints).toEqual([]);
  });

  it('after a reload with what was not saved, until it is saved', async () => {
    const id = await draft({ message: { text: 'saved' } });
    const { page, complaints } = await opened();
    await show(page, id);
    await field(page, 'Text').fill('typed');
    await page.getByText(/^Not saved yet: message\. Kept in this browser at/).waitFor();
    await field(page, 'Name, for you').fill('typed last');
    // The page is left before the next 5 s are over.
    await page.reload();
    expect(await field(page, 'Text').inputValue()).toBe('typed');
    expect(await field(page, 'Name, for you').inputValue()).toBe('typed last');
    await page.getByText(/^Not saved yet: name, message\./).waitFor();
    expect(await api(id)).toMatchObject({ name: null, message: { text: 'saved' } });
    await save(page);
    expect(await api(id)).toMatchObject({ name: 'typed last', message: { text: 'typed' } });
    await page.reload();
    await page.getByRole('heading', { name: 'typed last' }).waitFor();
    expect(await page.getByText(/^Not saved yet/).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('asks nothing of an audience while a condition has no value, and saves the rest', async () => {
    const conditions = { user_conditions: ['=', 'users.language_code', 'de'] };
    const include = [{ type: 'filter', config: conditions }];
    const id = await draft({ message: { text: 'x' }, segmentations: { include } });
    const { page } = await opened();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/audience-size|broadcast\/save/.test(request.url())) asked.push(request.postData() ?? '');
    });
    await show(page, id);
    await page.getByText(/recipients? now as of/).waitFor();
    const audience = page.getByRole('group', { name: 'Send to' });
    await audience.getByRole('button', { name: 'Add a filter' }).click();
    await page.getByText('A condition has no value yet.').first().waitFor();
    expect(await page.getByText(/recipients? now as of/).count()).toBe(0);
    await field(page, 'Name, for you').fill('half written');
    await page.getByRole('button', { name: 'Launch…' }).click();
    await page.getByText(/^Saved, but not: who gets it/).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await api(id)).toMatchObject({ name: 'half written', segmentations: { include } });
    expect(asked.filter((body) => body.includes('""'))).toEqual([]);
    await audience.getByLabel('Value', { exact: true }).last().fill('fr');
    await page.keyboard.press('Tab');
    await save(page);
    expect(JSON.stringify((await api(id)).segmentations)).toContain('fr');
  });

  it('of another type, with the list that it was made for', async () => {
    const id = await draft({});
    const { segment_id } = (await service.post('/v1/broadcast/upload-segment', { task_id: id, chat_ids: [1] }, key))
      .body.data;
    const include = [{ type: 'custom', config: { segment_id } }];
    await service.post('/v1/broadcast/save', { id, segmentations: { include } }, key);
    const { page, complaints } = await opened();
    // Former links lead here.
    await page.goto(`${service.address}/console/broadcasts?id=${id}`);
    await expect.poll(() => page.url()).toContain(`/broadcasts/${id}/edit`);
    await page.getByRole('button', { name: /^Type:/ }).click();
    await page.getByRole('option', { name: /^Photo/ }).click();
    await field(page, 'Address (https://…) or file_id').fill('https://files.example/a.png');
    await save(page);
    const message = { photo: 'https://files.example/a.png' };
    expect(await api(id)).toMatchObject({ type: 'sendPhoto', message, segmentations: { include } });
    expect(complaints).toEqual([]);
  });

  it('as a copy, and can be archived and deleted', async () => {
    const id = await draft({ name: 'First', variants: VARIANTS });
    const { page, complaints } = await opened();
    await show(page, id);
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: 'Copy of First' }).waitFor();
    const copy = Number(/broadcasts\/(\d+)\/edit/.exec(page.url())![1]);
    expect(copy).not.toBe(id);
    expect(await api(copy)).toMatchObject({ name: 'Copy of First', variants: VARIANTS });
    const more = page.getByRole('main').getByRole('button', { name: 'More' });
    const isFocused = (place: Locator) => place.evaluate((element) => element === element.ownerDocument.activeElement);
    await more.click();
    await expect.poll(() => isFocused(page.getByRole('menuitem').first())).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => isFocused(more)).toBe(true);
    await more.click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('cell', { name: 'First' })
      .or(page.getByRole('rowheader', { name: 'First' }))
      .first()
      .waitFor();
    expect(await page.getByText('Copy of First').count()).toBe(0);
    expect((await service.get(`/v1/broadcast/get?id=${copy}`, key)).status).toBe(404);
    await show(page, id);
    await more.click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await expect.poll(async () => (await api(id)).archived).toBe(true);
    await page.goto(`${service.address}/console/broadcasts?archived=1`);
    await page.getByRole('link', { name: 'First' }).waitFor();
    expect(complaints).toEqual([]);
  });
});
