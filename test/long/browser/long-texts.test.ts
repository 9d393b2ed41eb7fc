import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasEnded, launch, meet, until } from '../../support/broadcasts.ts';
import { axeFindings, CHROMIUM, type ConsolePage, shoot } from '../../support/browser.ts';
import { aKey } from '../../support/catalog.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { type SendingConsole, startSendingConsole } from '../../support/test-console.ts';

/** One word: nothing breaks it. */
const LONG = 'W'.repeat(5000);
const WORD = 'W'.repeat(120);
/** The longest name that the service takes. */
const NAME = 'W'.repeat(250);
const WIDTH = 360;

/** Texts that take more of the page than this are not cut. Fields to write in, and the message itself, may be larger. */
const TALLEST = 320;
const TALL = `[...document.querySelectorAll('h1, h2, h3, p, li, th, td, dt, dd, b, button, label, .pill, .chip, .crumb')]
  .filter((e) => e.getBoundingClientRect().height > ${TALLEST} && !e.closest('.message, .preview, .phone')
    && !e.querySelector('textarea, table, form, dl, ul, input'))
  .map((e) => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40))`;
const WIDE_LAYERS = `[...document.querySelectorAll('dialog[open], .popover')]
  .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > ${WIDTH})
  .map((e) => e.className + ' ' + e.scrollWidth)`;

describe.skipIf(CHROMIUM === undefined)('long texts on a phone', () => {
  let started: SendingConsole;
  let service: TestService;
  let bot: TestBot;
  let owner: string;
  let sent: number;
  let draft: number;
  let toAll: number;
  let segment: number;

  beforeAll(async () => {
    started = await startSendingConsole();
    ({ service, bot } = started);
    owner = (await aKey(service.commands, bot.ownerId, 'all', { kind: 'owner', name: NAME })).apiKey;
    await meet(service, bot, [1, 2], LONG);
    await post('send-event', [{ event: 'W'.repeat(60), user_id: 1, category: LONG.slice(0, 250) }]);
    await service.projected();
    await post('settings/bots/set', { name: NAME });
    for (const name of [NAME, WORD]) {
      await post('settings/keys/issue', { bots: 'all', name });
      await post('settings/goals/create', { target_id: name.length, name });
      await post('settings/units/create', { code: name === NAME ? 'H0' : 'H1', name });
      await post('settings/rules/create', { name, trigger_event_id: 1, reward_type: 'percent', percent: 1 });
      const user_conditions = ['and', ['=', 'users.first_name', name], ['in', 'users.username', [LONG, WORD]]];
      segment = (await post('saved-segments/save', { name, conditions: { user_conditions } })).saved_segment_id;
    }
    await post('settings/events/describe', { event_id: 1, title: NAME, description: NAME });
    await post('settings/webhook/set', { url: `https://shop.example/${WORD}${WORD}` });
    const text = LONG.slice(0, 4000);
    const reply_markup = { inline_keyboard: [[{ text: WORD, url: `https://shop.example/${WORD}` }]] };
    const user_conditions = ['=', 'users.first_name', LONG];
    const include = [
      { type: 'filter', config: { user_conditions } },
      { type: 'saved', config: { saved_segment_id: segment } },
      { type: 'list', config: { chat_ids: Array.from({ length: 500 }, (_, i) => i + 1) } },
    ];
    const made = await post('broadcast/create', {
      ...{ type: 'sendMessage', name: NAME, segmentations: { include, exclude: include.slice(0, 1) } },
      variants: ['a', 'b'].map((of) => ({
        ...{ name: of + WORD.slice(0, 90), share: 50 },
        message: { text, reply_markup },
      })),
    });
    draft = made.id;
    const all = { segmentations: { include: [{ type: 'all', config: {} }] }, message: { text } };
    toAll = (await post('broadcast/create', { type: 'sendMessage', ...all })).id;
    sent = await launch(service, bot, { chats: [1, 2], message: { text, reply_markup } });
    await until(service, sent, hasEnded);
    await service.projected();
  });
  afterAll(() => started.stop());

  async function post(path: string, body: unknown) {
    const answer = await service.post(`/v1/${path}`, body, { 'api-key': owner, 'resource-key': bot.publicKey });
    expect(answer, path).toMatchObject({ status: 200 });
    return answer.body.data;
  }

  async function fits(page: Page, what: string): Promise<void> {
    await page.locator('h1').first().waitFor();
    const waits = page.locator('[aria-busy="true"]').filter({ visible: true });
    await expect.poll(() => waits.count()).toBe(0);
    expect.soft(await page.evaluate('document.documentElement.scrollWidth'), what).toBeLessThanOrEqual(WIDTH);
    expect.soft(await page.evaluate(TALL), what).toEqual([]);
    expect.soft(await page.evaluate(WIDE_LAYERS), what).toEqual([]);
    await shoot(page, `long-${what.replaceAll(/\W+/g, '-')}`);
  }

  async function sweep(
    { page, complaints }: ConsolePage,
    paths: readonly string[],
    act?: (page: Page, path: string) => Promise<unknown>,
  ) {
    for (const path of paths) {
      await page.goto(`${service.address}/console/${path}`);
      await fits(page, path);
      if (act === undefined) continue;
      await act(page, path);
      await fits(page, `${path}, changed`);
    }
    // A name that the service refuses is a failed request.
    expect(complaints.filter((each) => !each.includes('status of 400'))).toEqual([]);
  }

  const sections = ['bot', 'keys', 'goals', 'units', 'rules', 'webhook', 'plan', 'look'];

  it('fit in the settings: names, and what is typed', async () => {
    const console = await started.logIn(owner, { width: WIDTH });
    await sweep(
      console,
      sections.map((name) => `settings/${name}`),
      async (page, path) => {
        const [, section] = path.split('/');
        const opener = page.getByRole('button', { name: /^(New|Issue a) / });
        if (['keys', 'goals', 'units', 'rules'].includes(section!)) await opener.first().click();
        for (const field of await page.locator('input[type="text"]').all()) await field.fill(LONG);
        const save = page.locator('form button[type="submit"]');
        if ((await save.count()) > 0) await save.last().click();
      },
    );
    await sweep(console, ['settings/keys'], (page) =>
      page
        .getByRole('button', { name: /^Revoke/ })
        .first()
        .click(),
    );
    await sweep(console, ['settings/rules'], (page) => page.getByRole('button', { name: /^Edit/ }).first().click());
  });

  it('fit in segments: names, conditions, and the question before one is deleted', async () => {
    const console = await started.logIn(owner, { width: WIDTH });
    await sweep(console, ['segments', `segments/${segment}`]);
    await sweep(console, [`segments/${segment}`], (page) =>
      page
        .getByRole('button', { name: /^Delete/ })
        .first()
        .click(),
    );
  });

  it('fit in broadcasts: names, texts, buttons, audiences, recipients, and the last question', async () => {
    const console = await started.logIn(owner, { width: WIDTH });
    await sweep(console, ['broadcasts', `broadcasts/${sent}`, `broadcasts/${draft}/edit`]);
    await sweep(console, [`broadcasts/${draft}/edit`], async (page) => {
      await page.getByLabel('Name', { exact: false }).first().fill(LONG);
      await page.getByRole('button', { name: 'Save the draft' }).click();
    });
    await sweep(console, [`broadcasts/${draft}/edit`], async (page) => {
      await page.getByRole('button', { name: 'Launch…' }).click();
      await page.getByRole('dialog').waitFor();
    });
    await sweep(console, [`broadcasts/${toAll}/edit`], (page) => page.getByText('Some of them').click());
    expect(await axeFindings(console.page)).toEqual([]);
    await sweep(console, ['users/1', 'dashboard', 'live']);
  });

  it('are cut, and whole on demand', async () => {
    const { page } = await started.logIn(owner, { width: WIDTH });
    for (const path of [`broadcasts/${draft}/edit`, `segments/${segment}`, 'users/1']) {
      await page.goto(`${service.address}/console/${path}`);
      const title = page.locator('h1').filter({ hasText: 'WWW' });
      await title.waitFor();
      expect((await title.boundingBox())!.height, path).toBeLessThan(150);
      const whole = path.startsWith('users') ? LONG : path.startsWith('segments') ? WORD : NAME;
      expect(await title.getAttribute('title'), path).toBe(whole);
    }
  });
});
