import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MESSAGE_TYPES } from '../../../src/domain/broadcast/broadcast-events.ts';
import { hasEnded, launch, until } from '../../support/broadcasts.ts';
import { axeFindings, CHROMIUM, type ConsolePage, HOSTILE, type PageOptions, shoot } from '../../support/browser.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { type SendingConsole, startSendingConsole } from '../../support/test-console.ts';

const FILE = 'https://files.example/a.png';

describe.skipIf(CHROMIUM === undefined)('the console composes and sends broadcasts', () => {
  let started: SendingConsole;
  let service: TestService;
  let bot: TestBot;
  let key: Record<string, string>;

  beforeAll(async () => {
    started = await startSendingConsole();
    ({ service, bot } = started);
    key = { 'api-key': bot.apiKey };
    for (const [i, first_name] of HOSTILE.entries()) {
      const message = {
        message_id: i + 1,
        date: Math.floor(Date.now() / 1000),
        chat: { id: i + 1, type: 'private' },
        from: { id: i + 1, is_bot: false, first_name, language_code: i < 2 ? 'de' : 'en' },
        text: '/start',
      };
      await service.post('/v1/send-update', { update: { update_id: i + 1, message } }, key);
    }
    await service.projected();
  });
  afterAll(async () => {
    await started.stop();
    expect(started.platform.mistakes).toEqual([]);
  });

  const opened = (options?: PageOptions): Promise<ConsolePage> => started.logIn(bot.apiKey, options);
  const choice = (page: Page | Locator, name: string): Locator => page.getByRole('combobox', { name, exact: true });
  const show = (page: Page, id: number | string): Promise<unknown> =>
    page.goto(`${service.address}/console/broadcasts/${id}`);
  const field = (page: Page, name: string): Locator => page.getByLabel(name, { exact: true });
  const api = async (id: number | string) => (await service.get(`/v1/broadcast/get?id=${id}`, key)).body.data;
  const idOf = (page: Page): string => /broadcasts\/([^/?]+)/.exec(page.url())![1]!;
  /** Chooses in a layer that a button opens. */
  const pick = async (page: Page, name: RegExp, option: string): Promise<void> => {
    await page.getByRole('button', { name }).click();
    await page.locator('.picker').getByRole('combobox').fill(option);
    await page.getByRole('option', { name: option }).first().click();
  };
  const add = async (page: Page, side: string, kind: string): Promise<void> => {
    await page.getByRole('button', { name: `Add: ${side}` }).click();
    await page.getByRole('menuitem', { name: kind }).click();
  };

  async function saved(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await expect.poll(() => idOf(page)).toMatch(/^\d+$/);
    return idOf(page);
  }

  it.each(MESSAGE_TYPES)('of type %s: composed, previewed and saved', async (type) => {
    const { page, complaints } = await opened();
    await show(page, 'new');
    if (type !== 'sendMessage') await pick(page, /^Type:/, type);
    const text = HOSTILE[0]!;
    const marked = ['sendMessage', 'sendPhoto', 'sendVideo', 'sendDocument', 'sendAnimation'].includes(type);
    const written = marked ? '<b>Bold</b> & {{user.first_name}}' : text;
    if (type === 'sendMediaGroup')
      for (const item of [1, 2]) {
        await page.getByRole('button', { name: 'Add a photo or video' }).click();
        await field(page, `File ${item}`).fill(FILE);
        await field(page, `Text under file ${item}`).fill(text);
      }
    else {
      if (type !== 'sendMessage') await page.getByLabel('Address (https://…) or file_id').fill(FILE);
      await page.getByLabel(type === 'sendMessage' ? 'Text' : 'Text under the file', { exact: true }).fill(written);
      if (marked) await choice(page, 'Formatting').selectOption('HTML');
    }
    const bubble = page.locator('.bubble');
    await bubble
      .getByText(marked ? `Bold & ${HOSTILE[0]}` : text)
      .first()
      .waitFor();
    if (marked) expect(await bubble.locator('.marked b').textContent()).toBe('Bold');
    const { message, type: stored } = await api(await saved(page));
    expect(stored).toBe(type);
    const content = type.slice('send'.length).toLowerCase();
    expect(message).toEqual(
      type === 'sendMediaGroup'
        ? { media: [1, 2].map(() => ({ type: 'photo', media: FILE, caption: text })) }
        : {
            ...(type === 'sendMessage' ? { text: written } : { [content]: FILE, caption: written }),
            ...(marked ? { parse_mode: 'HTML' } : {}),
          },
    );
    expect(complaints).toEqual([]);
  });

  it('from the first word to the last recipient: audience, test, launch, progress, recipients', async () => {
    const { page, complaints } = await opened();
    await show(page, 'new');
    await field(page, 'Name, for you').fill(HOSTILE[1]!);
    await field(page, 'Text').fill('Hello ');
    await pick(page, /^Field of the person/, 'user.first_name');
    expect(await field(page, 'Text').inputValue()).toBe('Hello {{user.first_name}}');
    await page.getByRole('button', { name: 'Add a button', exact: true }).click();
    await field(page, 'Button 1 of row 1: Text on the button').fill('Shop');
    await field(page, 'Button 1 of row 1: Opens an address').fill('not an address');
    await page.getByText('must be an http, https or tg address').waitFor();
    await field(page, 'Button 1 of row 1: Opens an address').fill('https://shop.example/');
    await expect.poll(() => page.getByText('must be an http').count()).toBe(0);

    const size = page.getByRole('region', { name: 'Size of the audience' });
    await add(page, 'Send to', 'All users of the bot');
    await size.getByText(`${HOSTILE.length}`, { exact: true }).waitFor();
    const without = page.getByRole('group', { name: 'But not to' });
    await add(page, 'But not to', 'Users who match filters');
    await without.getByRole('button', { name: 'Add a filter' }).first().click();
    await choice(without, 'Value').fill('de');
    await choice(without, 'Value').blur();
    const recipients = HOSTILE.length - 2;
    await size.getByText(`${recipients}`, { exact: true }).waitFor();
    expect(await page.locator('.sample').textContent()).toContain(HOSTILE[2]);

    await field(page, 'Send a test to a chat').fill('3');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Delivered.', { exact: true }).waitFor();
    const test = started.platform.calls.at(-1)!;
    expect(test).toMatchObject({ chatId: 3, parameters: { text: `Hello ${HOSTILE[2]}` } });
    expect(await page.locator('.keyboard').textContent()).toBe('Shop');

    await page.getByRole('button', { name: 'Launch…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(new RegExp(`^${recipients} as of .*At the launch they are counted again`)).waitFor();
    const id = idOf(page);
    await dialog.getByRole('button', { name: 'Launch now' }).click();
    await page.getByText('Finished', { exact: true }).waitFor();
    const { count_delivered, count_recipients } = await api(id);
    expect({ count_delivered, count_recipients }).toEqual({
      count_delivered: recipients,
      count_recipients: recipients,
    });
    expect(await page.locator('.outcomes dd').allTextContents()).toEqual([`${recipients}`, '0', '0', '0', '0']);
    const sent = started.platform.calls.filter(({ n }) => n > test.n);
    expect(sent.map(({ chatId }) => chatId).sort()).toEqual([3, 4, 5, 6, 7]);
    await page.getByRole('cell', { name: 'delivered' }).first().waitFor();
    const csv = page.getByRole('link', { name: 'CSV' });
    const download = page.waitForEvent('download');
    await csv.click();
    expect((await download).suggestedFilename()).toBe(`recipients-${id}.csv`);
    expect(complaints).toEqual([]);
  });

  it('the recipients are downloaded as CSV in which no text is a formula', async () => {
    const description = '=HYPERLINK("http://evil.example")';
    started.platform.behave(({ chatId }) => (chatId === 2000 ? { error: { code: 403, description } } : undefined));
    const id = await launch(service, bot, { chats: [-2001, 2000] });
    await until(service, id, hasEnded);
    const { page, complaints } = await opened();
    await show(page, id);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    const rows = parse(await readFile(await (await download).path()));
    expect(rows.map((cells) => cells.slice(0, 3))).toEqual([
      ['chat_id', 'state', 'reason'],
      ['-2001', 'delivered', ''],
      ['2000', 'not_delivered', `'${description}`],
    ]);
    expect(complaints).toEqual([]);
  });

  it('progress is watched, stopped and launched again', async () => {
    const id = await launch(service, bot, { chats: Array.from({ length: 60 }, (_, i) => i + 1000), cap: 5 });
    const { page, complaints } = await opened();
    await show(page, id);
    await page.getByText('Sending', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Launch again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Launch again' }).click();
    await page.getByText(/^(Scheduled|Finding the recipients|About to be sent|Sending)$/).waitFor();
    await service.post('/v1/broadcast/cancel', { id }, key);
    await until(service, id, hasEnded);
    expect(complaints).toEqual([]);
  });

  it('a draft with a mistake is saved without it, and the browser keeps the mistake', async () => {
    const { page } = await opened();
    await show(page, 'new');
    await field(page, 'Text').fill('kept');
    await field(page, 'Messages a second, at most').fill('many');
    const id = await saved(page);
    await page.getByText('must be an integer from 1 to 1000').first().waitFor();
    await page.getByText('Saved, but not: speed and clicks.').waitFor();
    expect(await api(id)).toMatchObject({ message: { text: 'kept' }, settings: { intervalCap: 10 } });
    await page.getByRole('link', { name: 'Reports' }).click();
    await page.goBack();
    await expect.poll(() => field(page, 'Text').inputValue()).toBe('kept');
    expect(await field(page, 'Messages a second, at most').inputValue()).toBe('many');
  });

  it('a draft with an uploaded list shows and keeps its segment, and any filter of the API', async () => {
    const { id } = (await service.post('/v1/broadcast/create', { type: 'sendMessage', message: { text: 'x' } }, key))
      .body.data;
    const { segment_id } = (
      await service.post('/v1/broadcast/upload-segment', { task_id: id, chat_ids: [1, 2, 88] }, key)
    ).body.data;
    const include = [
      { type: 'custom', config: { segment_id } },
      { type: 'filter', config: { user_conditions: ['not', ['=', 'users.first_name', HOSTILE[0]]] } },
      {
        type: 'filter',
        config: {
          user_conditions: ['and', ['=', 'users.language_code', 'de'], ['is', 'users.username', null]],
          event_filters: ['performed_event', { negation: true, period_days: 7 }],
        },
      },
    ];
    await service.post('/v1/broadcast/save', { id, segmentations: { include } }, key);
    const { page, complaints } = await opened();
    await show(page, id);
    await page.locator('.segment').getByText(`List ${segment_id}, saved with this draft`).waitFor();
    await page.getByText(/recipients? now/).waitFor();
    await field(page, 'Text').fill('changed');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await api(id)).toMatchObject({ message: { text: 'changed' }, segmentations: { include, exclude: [] } });
    expect(complaints).toEqual([]);
  });

  it('script in every text field and name stays text', async () => {
    const { page, complaints } = await opened();
    await show(page, 'new');
    await page.getByRole('button', { name: 'Add a button', exact: true }).click();
    await add(page, 'Send to', 'A list of chat ids');
    for (const text of HOSTILE) {
      const inputs = await page.locator('.compose input:not([type]), .compose textarea').all();
      for (const input of inputs) await input.fill(text);
      // A template is refused at its place; any other text is shown as it is.
      await page.locator('.bubble').getByText(text).first().waitFor();
      await page.locator('.keyboard').getByText(text).first().waitFor();
    }
    expect(complaints.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });

  it.each([false, true])('has no axe finding, and fits 360 px (dark: %s)', async (dark) => {
    const wide = await opened({ dark });
    await wide.page.goto(`${service.address}/console/broadcasts`);
    await wide.page.getByRole('heading', { name: 'Broadcasts' }).waitFor();
    expect(await axeFindings(wide.page)).toEqual([]);
    for (const width of [1280, 360]) {
      const { page } = width === 360 ? await opened({ dark, width }) : wide;
      await show(page, 'new');
      await field(page, 'Text').fill('<b>Bold</b> <a href="https://a.example">link</a>\n<pre>code</pre>');
      await choice(page, 'Formatting').selectOption('HTML');
      await page.getByRole('button', { name: 'Add a button', exact: true }).click();
      await field(page, 'Button 1 of row 1: Text on the button').fill('Shop');
      await add(page, 'Send to', 'Users who match filters');
      await page.getByRole('button', { name: 'Add a filter' }).first().click();
      await page.getByRole('button', { name: 'Add an event that users have or not' }).click();
      await page.locator('.bubble b').waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await shoot(page, `composer-${width}-${dark}`);
    }
  });
});
