import { parse } from 'lossless-json';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, type ConsolePage, HOSTILE } from '../../support/browser.ts';
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
    await settled(console.page);
    return console;
  }

  const settled = (page: Page): Promise<void> => page.locator('.answer[aria-busy="false"] footer').waitFor();
  const choice = (page: Page, name: string): Locator => page.getByRole('combobox', { name, exact: true });
  const choose = (page: Page, name: string, label: string): Promise<unknown> =>
    choice(page, name).selectOption({ label });
  const event = async (page: Page, name: string, of: 'start' | 'buy'): Promise<unknown> =>
    choose(page, name, of === 'start' ? 'start (12 ×)' : 'buy (5 ×)');

  /** The numbers of the answer that open their users; of a list its cells. */
  const shown = async (page: Page): Promise<string[]> => {
    await settled(page);
    const cells = page.locator(
      (await choice(page, 'Type').inputValue()) === 'list' ? '.answer tbody td' : '.answer button.cell',
    );
    return (await cells.allTextContents()).map((text) => text.trim()).sort();
  };

  /** The service's answer to the report that the page copies. */
  async function asked(page: Page): Promise<Answer> {
    await page.getByRole('button', { name: 'Copy report_config' }).click();
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
  const share = (digits: string): string =>
    new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 }).format(Number(digits));

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
    ['Areas', (page) => choose(page, 'Shown as', 'Areas'), LINES],
    ['Bars', (page) => choose(page, 'Shown as', 'Bars'), LINES],
    ['Columns', (page) => choose(page, 'Shown as', 'Columns'), LINES],
    [
      'Number, of amounts',
      async (page) => {
        await choose(page, 'Shown as', 'Number');
        await event(page, 'Event 1', 'buy');
        await choose(page, 'Counted as', 'sum of');
        await choose(page, 'Field', 'value as sent');
      },
      totalsOf,
    ],
    [
      'Shares, broken down',
      async (page) => {
        await choose(page, 'Shown as', 'Shares');
        await choose(page, 'Counted as', 'events');
        await page.getByRole('combobox', { name: 'Break down by a field' }).selectOption('user.language_code');
      },
      totalsOf,
    ],
    [
      'Table, broken down, filtered and compared',
      async (page) => {
        await choose(page, 'Shown as', 'Table');
        await page.getByRole('combobox', { name: 'Break down by a field' }).selectOption('events.category');
        await page.getByRole('button', { name: '+ Add a filter' }).last().click();
        await choice(page, 'Field').last().selectOption('events.category');
        await page.getByLabel('Value', { exact: true }).fill(HOSTILE[0]!);
        await page.getByLabel('Value', { exact: true }).press('Tab');
        await page.getByLabel('Compare with the period before').check();
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
        await choose(page, 'Shown as', 'Table');
      },
      valuesOf(/^m0$/),
    ],
    [
      'Funnel',
      async (page) => {
        await choose(page, 'Type', 'Funnel');
        await event(page, 'Event 1', 'start');
        await event(page, 'Event 2', 'buy');
      },
      valuesOf(/^(users|dropped|in_progress)$/),
    ],
    [
      'Retention',
      async (page) => {
        await choose(page, 'Type', 'Retention');
        await event(page, 'First event', 'start');
        await event(page, 'Returning event', 'buy');
        await choose(page, 'Shown as', 'Lines');
      },
      (answer) => [...valuesOf(/^size$/)(answer), ...valuesOf(/^share_\d+$/, share)(answer)],
    ],
    [
      'List',
      async (page) => {
        await choose(page, 'Type', 'List');
        for (const name of ['events.date', 'events.event_type_id'])
          await page.getByRole('button', { name: `Remove ${name}` }).click();
        await page.getByRole('combobox', { name: 'Columns', exact: true }).selectOption('events.value_int');
      },
      ({ rows }) => rows.flatMap((row) => Object.values(row).map((value) => (value === null ? '–' : number(value)))),
    ],
  ];

  it.each(CASES)(
    '%s: built by hand, shared, reloaded, saved and opened again, with the numbers of the API',
    async (name, build, expected) => {
      const { page, complaints } = await open();
      await choose(page, 'Period', 'Last 7 days');
      await build(page);
      const found = expected(await asked(page)).sort();
      expect(found.length).toBeGreaterThan(0);
      await expect.poll(() => shown(page)).toEqual(found);

      const title = `${name} ${HOSTILE[0]}`;
      await page.getByLabel('Name', { exact: true }).fill(title);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved.').waitFor();
      const other = await page.context().newPage();
      await other.goto(page.url());
      await expect.poll(() => shown(other)).toEqual(found);
      await page.reload();
      await expect.poll(() => shown(page)).toEqual(found);

      await page.getByRole('button', { name: 'New report' }).click();
      await expect.poll(() => choice(page, 'Period').inputValue()).toBe('30d');
      await page.getByRole('searchbox').fill(title);
      await page.locator('aside').getByRole('button', { name: title, exact: true }).click();
      await expect.poll(() => choice(page, 'Period').inputValue()).toBe('7d');
      await expect.poll(() => shown(page)).toEqual(found);
      await choose(page, 'Period', 'Yesterday');
      expect(await page.getByText('Saved.').count()).toBe(0);
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

  it('shows all digits under the pointer, and a click on the chart opens the users', async () => {
    const { page, complaints } = await open();
    await event(page, 'Event 1', 'buy');
    await choose(page, 'Counted as', 'sum of');
    await choose(page, 'Field', 'value as sent');
    await choose(page, 'Period', 'Yesterday');
    await settled(page);
    await page.locator('.u-over').click();
    expect(await page.locator('.tooltip').textContent()).toContain('617,283,945,061,725.61728');
    await page.getByRole('dialog').getByText('5 users').waitFor();
    expect(complaints).toEqual([]);
  });

  it('has no shares of numbers that overlap', async () => {
    const { page } = await open();
    await choose(page, 'Shown as', 'Shares');
    await page.getByText('they have no shares').waitFor();
    expect(await page.locator('.answer').getByText('%').count()).toBe(0);
    await choose(page, 'Counted as', 'events');
    await page.locator('.answer').getByText('100%').waitFor();
  });

  it('has a line for each cohort and the average, and the legend hides it', async () => {
    const { page } = await open();
    await choose(page, 'Type', 'Retention');
    await event(page, 'First event', 'start');
    await choose(page, 'Shown as', 'Lines');
    await expect.poll(() => page.locator('.legend button').count()).toBeGreaterThan(3);
    const cohorts = await page.locator('.answer tbody tr').count();
    expect(await page.locator('.legend button').count()).toBe(cohorts + 1);
    await page.locator('.legend button').first().click();
    expect(await page.locator('.legend button').first().getAttribute('aria-pressed')).toBe('false');
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
    await page.goto(`${service.address}/console/reports?report=${encodeURIComponent(JSON.stringify(report))}`);
    await page.getByRole('alert').getByText('left out: filter, breakdown, period.').waitFor();
    await settled(page);
    expect(await choice(page, 'Shown as').inputValue()).toBe('number');
    expect(await page.locator('.numbers strong').textContent()).toBe('12');
    expect(complaints).toEqual([]);
  });

  it('dims an answer with its own days while the next question is open', async () => {
    const { page } = await open();
    await choose(page, 'Period', 'Today');
    await settled(page);
    const today = (await page.locator('.answer footer').textContent())!.split('.')[0];
    const release = await hold(page, 'run');
    await choose(page, 'Period', 'Yesterday');
    await page.locator('.answer[aria-busy="true"] footer').waitFor();
    expect(await page.locator('.answer footer').textContent()).toContain(today);
    release();
    await settled(page);
    expect(await page.locator('.answer footer').textContent()).not.toContain(`${today}. `);
  });

  it('keeps changes made while a save is on its way, and does not call them saved', async () => {
    const { page } = await open();
    const release = await hold(page, 'save');
    await page.getByLabel('Name', { exact: true }).fill('late');
    await choose(page, 'Period', 'Last 90 days');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await choose(page, 'Period', 'Today');
    release();
    await page.locator('aside').getByRole('button', { name: 'late', exact: true }).waitFor();
    expect(await choice(page, 'Period').inputValue()).toBe('today');
    expect(await page.getByText('Saved.').count()).toBe(0);
    await page.locator('aside').getByRole('button', { name: 'late', exact: true }).click();
    await expect.poll(() => choice(page, 'Period').inputValue()).toBe('90d');
  });

  it('keeps a text that is being typed while the list of saved reports loads again', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: '+ Add a filter' }).last().click();
    const value = page.getByLabel('Value', { exact: true });
    await value.pressSequentially(HOSTILE[0]!);
    const name = page.getByLabel('Name', { exact: true });
    // The list is drawn once its answer is there: a new report in it shows that.
    const config = { ...(await savedConfig()), name: 'from elsewhere' };
    expect((await service.post('/v1/reports/save', config, key())).status).toBe(200);
    await page.locator('aside').getByRole('button', { name: 'from elsewhere' }).waitFor();
    expect(await value.inputValue()).toBe(HOSTILE[0]);
    await name.focus();
    await expect.poll(() => page.url()).toContain('onerror');
  });

  async function savedConfig(): Promise<object> {
    const { items } = (await service.get('/v1/reports/list', key())).body.data;
    return { report_config: items[0].report_config };
  }
});
