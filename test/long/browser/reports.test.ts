import { parse } from 'lossless-json';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, type ConsolePage, HOSTILE } from '../../support/browser.ts';
import {
  chip,
  choose,
  chooseEvent,
  choosePeriod,
  form,
  openReport,
  pick,
  saidBy,
  save,
  settled,
} from '../../support/report-page.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

const ZONE = 'Europe/Berlin';
const PRICE = '123456789012345.123456';
const DAY_MS = 86_400_000;
const NOW = Date.now();
/** About noon of a day before today. */
const noon = (daysAgo: number): string =>
  `${new Date(NOW - daysAgo * DAY_MS).toISOString().slice(0, 10)}T11:00:00.000Z`;

type Row = Readonly<Record<string, string | null>>;
interface Answer {
  readonly columns: readonly { readonly key: string; readonly total?: string | null }[];
  readonly rows: readonly Row[];
}

describe.skipIf(CHROMIUM === undefined)('the page Reports', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    bot = await service.createBot({ timezone: ZONE });
    await fill();
  });
  afterAll(() => started.stop());

  const key = (): Record<string, string> => ({ 'api-key': bot.apiKey });

  /** Users who come on three days by two campaigns, and buy on the next days, for amounts beyond a float. */
  async function fill(): Promise<void> {
    for (let id = 1; id <= 12; id++) {
      const message = {
        message_id: id,
        date: Date.parse(noon(2 + (id % 3))) / 1000,
        chat: { id, type: 'private' },
        from: { id, is_bot: false, first_name: HOSTILE[id % HOSTILE.length], language_code: id < 8 ? 'en' : 'de' },
        text: `/start source-ads_campaign-${id % 2 === 0 ? 'may' : 'june'}`,
        entities: [{ type: 'bot_command', offset: 0, length: 6 }],
      };
      expect((await service.post('/v1/send-update', { update: { update_id: id, message } }, key())).status).toBe(200);
    }
    const bought = [1, 2, 3, 4, 5].map((user_id, i) => {
      const category = JSON.stringify(HOSTILE[i % 2]);
      return `{"event":"buy","user_id":${user_id},"date":"${noon(1)}","value_num":${PRICE},"category":${category}}`;
    });
    expect((await service.post('/v1/send-event', `[${bought}]`, key())).status).toBe(200);
    await service.projected();
  }

  async function open(): Promise<ConsolePage> {
    const console = await started.logIn(bot.apiKey);
    await console.page.getByRole('link', { name: 'Reports', exact: true }).click();
    await console.page.getByRole('link', { name: 'New report' }).first().click();
    await settled(console.page);
    return console;
  }

  const reports = (page: Page) => page.getByRole('main').getByRole('link', { name: 'Reports', exact: true });
  const show = (page: Page, name: string): Promise<void> => form(page, name).click();
  const event = (page: Page, name: string, of: 'start' | 'buy'): Promise<void> =>
    chooseEvent(page, name, of === 'start' ? 'Start' : 'Buy');
  const splitBy = (page: Page, field: string): Promise<void> => pick(chip(page, 'Split by'), new RegExp(`^${field}`));

  /** The numbers of the answer that open their people; of a list its cells. */
  const shown = async (page: Page): Promise<string[]> => {
    await settled(page);
    const cells = page.locator((await saidBy(page, 'Type')) === 'List' ? '.answer tbody td' : '.answer button.cell');
    return (await cells.allTextContents()).map((text) => text.trim()).sort();
  };

  /** The service's answer to the report that the page copies. */
  async function asked(page: Page): Promise<Answer> {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Copy for the API' }).click();
    await page.getByText('Copied.').waitFor();
    const config = await page.evaluate<string>('navigator.clipboard.readText()');
    const answer = await fetch(`${service.address}/v1/reports/run`, {
      method: 'POST',
      headers: { ...key(), 'content-type': 'application/json' },
      body: `{"report_config":${config}}`,
    });
    // With the digits as they were sent.
    return (parse(await answer.text(), undefined, (digits) => digits) as { data: Answer }).data;
  }

  const number = (digits: string): string =>
    new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 }).format(digits as never);
  const share = (digits: string): string => {
    const part = Number(digits);
    return `${part === 0 || part === 1 ? part * 100 : (part * 100).toFixed(1)}\u2009%`;
  };

  /** The numbers of the columns that `of` chooses, as the page writes them. */
  const valuesOf =
    (of: RegExp, write = number) =>
    ({ rows }: Answer): string[] =>
      rows.flatMap((row) =>
        Object.entries(row).flatMap(([name, value]) => (of.test(name) && value !== null ? [write(value)] : [])),
      );
  const totalsOf = ({ columns }: Answer): string[] => columns.slice(1).map(({ total }) => number(total!));
  const LINES = valuesOf(/^s\d+$/);

  const CASES: readonly [string, (page: Page) => Promise<unknown>, (answer: Answer) => string[]][] = [
    ['Lines', (page) => event(page, 'Event 1', 'buy'), LINES],
    [
      'Areas',
      async (page) => {
        await choose(page, 'Counted as', 'times');
        await show(page, 'Areas');
      },
      LINES,
    ],
    ['Columns', (page) => show(page, 'Columns'), LINES],
    [
      'Number, of amounts',
      async (page) => {
        await show(page, 'Number');
        await event(page, 'Event 1', 'buy');
        await choose(page, 'Counted as', 'sum of');
        await choose(page, 'Field', 'value as sent');
      },
      totalsOf,
    ],
    [
      'Shares, broken down',
      async (page) => {
        await choose(page, 'Counted as', 'times');
        await show(page, 'Shares');
        await splitBy(page, 'Language');
      },
      totalsOf,
    ],
    [
      'Table, broken down, filtered and compared',
      async (page) => {
        await show(page, 'Table');
        await splitBy(page, 'Category');
        await pick(chip(page, 'Filter'), /^Category/);
        const layer = page.getByRole('dialog', { name: 'Filter 1' });
        await layer.getByLabel('Value', { exact: true }).fill(HOSTILE[0]!);
        await page.keyboard.press('Tab');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Compare', exact: true }).click();
      },
      valuesOf(/^value$/),
    ],
    [
      'Campaigns, lines',
      async (page) => {
        await choose(page, 'Type', 'Campaigns');
        await event(page, 'Event 1', 'start');
      },
      LINES,
    ],
    [
      'Campaigns, table',
      async (page) => {
        await choose(page, 'Type', 'Campaigns');
        await show(page, 'Table');
      },
      valuesOf(/^m0$/),
    ],
    [
      'Funnel',
      async (page) => {
        await choose(page, 'Type', 'Funnel');
        await event(page, 'Step 1', 'start');
        await event(page, 'Step 2', 'buy');
      },
      valuesOf(/^(users|dropped|in_progress)$/),
    ],
    [
      'Retention',
      async (page) => {
        await choose(page, 'Type', 'Retention');
        await event(page, 'First event', 'start');
        await event(page, 'Returning event', 'buy');
        await show(page, 'Heat map and lines');
      },
      (answer) => [...valuesOf(/^size$/)(answer), ...valuesOf(/^share_\d+$/, share)(answer)],
    ],
    [
      'List',
      async (page) => {
        await choose(page, 'Type', 'List');
        for (const name of ['Time', 'Event']) await page.getByRole('button', { name: `Remove ${name}` }).click();
        await pick(chip(page, 'Column'), /^Value as sent/);
      },
      ({ rows }) =>
        rows.flatMap((row) =>
          Object.entries(row).map(([name, value]) =>
            value === null ? '–' : name === 'events.user_id' ? value : number(value),
          ),
        ),
    ],
  ];

  it.each(CASES)(
    '%s: built by hand, shared, reloaded, saved and opened again, with the numbers of the API',
    async (name, build, expected) => {
      const { page, complaints } = await open();
      await choosePeriod(page, 'Last 7 days');
      await build(page);
      await settled(page);
      const found = expected(await asked(page)).sort();
      expect(found.length).toBeGreaterThan(0);
      await expect.poll(() => shown(page)).toEqual(found);

      const title = `${name} ${HOSTILE[0]}`;
      await save(page, title);
      await page.getByText('Saved.').waitFor();
      const other = await page.context().newPage();
      await other.goto(page.url());
      await expect.poll(() => shown(other)).toEqual(found);
      await page.reload();
      await expect.poll(() => shown(page)).toEqual(found);

      await reports(page).click();
      await page.getByRole('link', { name: 'New report' }).click();
      await expect.poll(() => saidBy(page, 'Period')).toBe('last 30 days');
      await reports(page).click();
      await page.getByRole('link', { name: title, exact: true }).click();
      await expect.poll(() => saidBy(page, 'Period')).toBe('last 7 days');
      await expect.poll(() => shown(page)).toEqual(found);
      await choosePeriod(page, 'Yesterday');
      await page.getByText('Changed, not saved').waitFor();
      expect(complaints).toEqual([]);
    },
  );

  /** Holds requests to `/v1/reports/<path>` back until the result is called. */
  async function hold(page: Page, path: string): Promise<() => void> {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(`**/v1/reports/${path}`, async (route) => {
      await held;
      await route.continue();
    });
    return release;
  }

  it('shows all digits under the pointer, and a click on the chart opens the people', async () => {
    const { page, complaints } = await open();
    await event(page, 'Event 1', 'buy');
    await choose(page, 'Counted as', 'sum of');
    await choose(page, 'Field', 'value as sent');
    await choosePeriod(page, 'Yesterday');
    await settled(page);
    await page.locator('.u-over').click();
    expect(await page.locator('.tip').textContent()).toContain('617,283,945,061,725.61728');
    await page.getByRole('dialog').getByText('5 people').waitFor();
    expect(complaints).toEqual([]);
  });

  it('moves along the chart by keys, and Enter opens the people', async () => {
    const { page } = await open();
    await event(page, 'Event 1', 'buy');
    await choosePeriod(page, 'Last 7 days');
    await settled(page);
    await page.locator('.chart[role="img"]').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('5 people').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.className')).toBe('chart');
  });

  it('has no shares of numbers that overlap, and says why', async () => {
    const { page } = await open();
    // By key, as a pointer sees that it is disabled.
    await form(page, 'Shares').press('Enter');
    await page.getByRole('status').getByText('they have no shares').waitFor();
    expect(await form(page, 'Lines').getAttribute('aria-pressed')).toBe('true');
    await choose(page, 'Counted as', 'times');
    await show(page, 'Shares');
    await page.locator('.answer').getByText('100\u2009%').waitFor();
  });

  it('has a line for each cohort with an interval that is over, and the average, and the legend hides it', async () => {
    const { page } = await open();
    await choose(page, 'Type', 'Retention');
    await event(page, 'First event', 'start');
    await show(page, 'Heat map and lines');
    const buttons = page.locator('.legend button');
    await expect.poll(() => buttons.count()).toBeGreaterThan(2);
    await buttons.first().click();
    await expect.poll(() => buttons.first().getAttribute('aria-pressed')).toBe('false');
  });

  it('leaves out unreadable parts of a link, names them, and shows the rest', async () => {
    const { page, complaints } = await open();
    const report = {
      type: 'trends',
      chart: 'number',
      period: { from: HOSTILE[0], to: 1 },
      filter: { items: HOSTILE },
      breakdown: 'x',
    };
    await openReport(page, service, report);
    await page.getByRole('alert').getByText('left out: filter, breakdown, period.').waitFor();
    expect(await form(page, 'Number').getAttribute('aria-pressed')).toBe('true');
    expect(await page.locator('.numbers strong').textContent()).toBe('12');
    expect(complaints).toEqual([]);
  });

  it('dims an answer, and dates it, while the next question is open', async () => {
    const { page } = await open();
    await choosePeriod(page, 'Today');
    await settled(page);
    const today = (await page.locator('.answer footer').first().textContent())!;
    const release = await hold(page, 'run');
    await choosePeriod(page, 'Yesterday');
    await page
      .locator('.answer[aria-busy="true"]')
      .getByText(/^These are the numbers of \d\d:\d\d:\d\d/)
      .waitFor();
    expect(await page.locator('.answer footer').first().textContent()).toBe(today);
    release();
    await settled(page);
    expect(await page.locator('.answer footer').first().textContent()).not.toBe(today);
  });

  it('keeps changes made while a save is on its way, and does not call them saved', async () => {
    const { page } = await open();
    const release = await hold(page, 'save');
    await choosePeriod(page, 'Last 90 days');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('late');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    // By the address, as the question before the save covers the page.
    await page.evaluate(
      `history.pushState(null, '', location.pathname + '?report=' + encodeURIComponent('{"period":"today"}')); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await expect.poll(() => saidBy(page, 'Period')).toBe('day so far');
    release();
    await page.getByRole('heading', { level: 1, name: 'late' }).waitFor();
    await page.getByText('Changed, not saved').waitFor();
    expect(await saidBy(page, 'Period')).toBe('day so far');
    await reports(page).click();
    await page.getByRole('link', { name: 'late', exact: true }).click();
    await expect.poll(() => saidBy(page, 'Period')).toBe('last 90 days');
  });

  it('keeps a text that is being typed while the list of saved reports loads again', async () => {
    const { page } = await open();
    await pick(chip(page, 'Filter'), /^Language/);
    const layer = page.getByRole('dialog', { name: 'Filter 1' });
    const value = layer.getByLabel('Value', { exact: true });
    await value.pressSequentially(HOSTILE[0]!);
    const listed = page.waitForResponse('**/v1/reports/list');
    await listed;
    expect(await value.inputValue()).toBe(HOSTILE[0]);
    await page.keyboard.press('Tab');
    await expect.poll(() => page.url()).toContain('onerror');
  });
});
