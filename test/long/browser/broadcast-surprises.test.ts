import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from '../../support/broadcasts.ts';
import { axeFindings, CHROMIUM, type ConsolePage, shoot, shownDate } from '../../support/browser.ts';
import { aKey } from '../../support/catalog.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { type SendingConsole, startSendingConsole } from '../../support/test-console.ts';

describe.skipIf(CHROMIUM === undefined)('the console says what would surprise about a broadcast', () => {
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
  const show = (page: Page, id: number | string): Promise<unknown> =>
    page.goto(`${service.address}/console/broadcasts/${id}`);
  const field = (page: Page, name: string): Locator => page.getByLabel(name, { exact: true });
  const api = async (id: number | string) => (await service.get(`/v1/broadcast/get?id=${id}`, key)).body.data;
  async function saved(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await expect.poll(() => page.url()).toMatch(/broadcasts\/\d+\/edit/);
  }

  it('a time that is past is a warning at the field, after a save and before the launch', async () => {
    const { page } = await opened();
    await show(page, 'new');
    await field(page, 'Text').fill('late');
    await page.getByRole('radio', { name: 'At a time' }).click();
    await page.getByLabel(/^Date and time/).fill('2020-01-01T00:00');
    const past = 'This time is past: the broadcast goes out at once.';
    await page.getByText(past).first().waitFor();
    await saved(page);
    await page.getByRole('status').getByText('this time is past').waitFor();
    await page.getByRole('button', { name: 'Launch…' }).click();
    await page.getByRole('dialog').getByText(past).waitFor();
    await shoot(page, 'past');
    await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
    await field(page, 'Send a test to a chat').fill('no');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    expect(
      await page
        .getByRole('alert')
        .getByText(/^must be/)
        .textContent(),
    ).not.toContain('(at');
  });

  it('a tab that was opened earlier keeps what another one saved', async () => {
    const first = { type: 'sendMessage', name: 'first', message: { text: 'old' } };
    const { id } = (await service.post('/v1/broadcast/create', first, key)).body.data;
    const { page } = await opened();
    await show(page, id);
    await field(page, 'Name, for you').fill('mine');
    const elsewhere = (text: string) => service.post('/v1/broadcast/save', { id, message: { text } }, key);
    await elsewhere('new');
    const save = page.getByRole('button', { name: 'Save the draft' });
    await save.click();
    await page.getByText('This draft was changed elsewhere.').waitFor();
    await shoot(page, 'elsewhere');
    expect(await axeFindings(page)).toEqual([]);
    expect(await api(id)).toMatchObject({ name: 'first', message: { text: 'new' } });
    await page.getByRole('button', { name: 'Overwrite' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await api(id)).toMatchObject({ name: 'mine', message: { text: 'new' } });
    expect(await field(page, 'Text').inputValue()).toBe('new');
    await elsewhere('newer');
    await field(page, 'Text').fill('mine');
    await save.click();
    await page.getByRole('button', { name: 'Load the other version' }).click();
    expect(await field(page, 'Text').inputValue()).toBe('newer');
    await field(page, 'Text').fill('newest');
    await save.click();
    await page.getByText('Saved.').waitFor();
    expect(await api(id)).toMatchObject({ name: 'mine', message: { text: 'newest' } });
  });

  it('a draft whose creation had no answer is created once', async () => {
    const { page } = await opened();
    await show(page, 'new');
    await field(page, 'Name, for you').fill('only once');
    await field(page, 'Text').fill('once');
    await page.route('**/broadcast/create', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByRole('alert').getByText('The service did not answer.').waitFor();
    await page.unroute('**/broadcast/create');
    await saved(page);
    const { items } = (await service.get('/v1/broadcast/list?filters[name]=only%20once', key)).body.data;
    expect(items).toHaveLength(1);
  });

  it('the recipients follow the progress; audience, launch and end are shown', async () => {
    started.platform.behave(({ chatId }) =>
      chatId === 2000 ? { error: { code: 403, description: 'Forbidden: bot was blocked by the user' } } : undefined,
    );
    const { page } = await opened();
    const id = await launch(service, bot, { chats: Array.from({ length: 12 }, (_, i) => i + 2000), cap: 4 });
    await show(page, id);
    await page.getByText('The user blocked the bot').waitFor();
    await page.getByText('Finished', { exact: true }).waitFor();
    await expect.poll(() => page.getByRole('cell', { name: 'Delivered', exact: true }).count()).toBe(11);
    started.platform.behave(() => undefined);
    await shoot(page, 'finished');
    expect(await axeFindings(page)).toEqual([]);
    const { date_activate, date_finish } = await api(id);
    const lead = (await page.locator('.lead').textContent()) ?? '';
    expect(lead).toContain(`Launched ${shownDate(date_activate)}`);
    expect(lead).toContain(`Ended ${shownDate(date_finish)}`);
    expect(lead).toContain('To: A list of chat ids');
  });

  it('says before the launch that the bot has no token', async () => {
    const without = await service.createBot();
    const { apiKey } = await aKey(service.commands, without.ownerId, 'all', { kind: 'owner' });
    const console = await started.logIn(apiKey);
    await console.page.goto(`${service.address}/console/broadcasts?bot=${without.publicKey}&id=new`);
    await console.page.getByRole('status').filter({ hasText: 'The bot has no token' }).getByRole('link').click();
    await expect.poll(() => console.page.url()).toContain(`/console/settings?bot=${without.publicKey}`);
    expect(console.complaints).toEqual([]);
  });
});
