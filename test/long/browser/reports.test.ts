import { parse } from 'lossless-json';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, type ConsolePage, HOSTILE } from '../../support/browser.ts';
import { fillReports } from '../../support/report-events.ts';
import {
  chip,
  choose,
  chooseEvent,
  choosePeriod,
  form,
  pick,
  saidBy,
  save,
  settled,
} from '../../support/report-page.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

const ZONE = 'Europe/Berlin';
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
    await fillReports(service, bot);
  });
  afterAll(() => started.stop());

  const key = (): Record<string, string> => ({ 'api-key': bot.apiKey });

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
});
