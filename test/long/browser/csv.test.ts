import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { meet } from '../../support/broadcasts.ts';
import { CHROMIUM } from '../../support/browser.ts';
import { chip, openReport, pick, settled } from '../../support/report-page.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

describe.skipIf(CHROMIUM === undefined)('the page Reports', () => {
  let started: TestConsole;
  beforeAll(async () => {
    started = await startConsole();
  });
  afterAll(() => started.stop());

  it('downloads a CSV in which no text is a formula', async () => {
    const { service } = started;
    const bot = await service.createBot();
    const category = '=HYPERLINK("http://evil.example")';
    const body = [{ event: 'buy', user_id: 1, category, value_num: -1.5 }];
    await meet(service, bot, [1]);
    expect((await service.post('/v1/send-event', body, { 'api-key': bot.apiKey })).status).toBe(200);
    await service.projected();
    const { page, complaints } = await started.logIn(bot.apiKey);
    await openReport(page, service, { type: 'list' });
    for (const name of [/^Category/, /^Amount/]) await pick(chip(page, 'Column'), name);
    await settled(page);
    const waited = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const download = await waited;
    const rows = parse(await readFile(await download.path()));
    expect(rows.map((cells) => cells.slice(-2))).toContainEqual([`'${category}`, '-1.5']);
    expect(complaints).toEqual([]);
  });
});
