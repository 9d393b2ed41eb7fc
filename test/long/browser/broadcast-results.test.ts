import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasEnded, launch, meet, until } from '../../support/broadcasts.ts';
import { axeFindings, CHROMIUM } from '../../support/browser.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { type SendingConsole, startSendingConsole } from '../../support/test-console.ts';

const LONG = 'x'.repeat(100);
const VARIANTS = [
  { name: LONG, share: 50, message: { text: 'First' } },
  { name: 'B', share: 50, message: { text: 'Second' } },
];

describe.skipIf(CHROMIUM === undefined)('the results of a broadcast', () => {
  let started: SendingConsole;
  let service: TestService;
  let bot: TestBot;
  let id: number;

  beforeAll(async () => {
    started = await startSendingConsole();
    ({ service, bot } = started);
    id = await launch(service, bot, { variants: VARIANTS, chats: Array.from({ length: 120 }, (_, i) => i + 1) });
    await until(service, id, hasEnded);
    await service.projected();
  });
  afterAll(() => started.stop());

  const key = () => ({ 'api-key': bot.apiKey });

  it('show variants side by side as the API counts them, and do not choose between equals', async () => {
    const { page, complaints } = await started.logIn(bot.apiKey);
    await page.goto(`${service.address}/console/broadcasts/${id}`);
    const table = page.getByRole('table', { name: 'Results' });
    await table.waitFor();
    const { variants } = (await service.get(`/v1/broadcast/statistics?id=${id}`, key())).body.data;
    const delivered = table.getByRole('row', { name: /^Delivered/ }).getByRole('cell');
    expect((await delivered.allTextContents()).map(Number)).toEqual(
      variants.map(({ count_delivered }: { readonly count_delivered: number }) => count_delivered),
    );
    await page.getByText('Not sure yet').waitFor();
    await page.getByText('The 95 % intervals overlap', { exact: false }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('offer the message as a recipient with a name gets it', async () => {
    await meet(service, bot, [7], 'Grace');
    const { page, complaints } = await started.logIn(bot.apiKey);
    await page.goto(`${service.address}/console/broadcasts/${id}`);
    await page.getByRole('button', { name: /See as another recipient/ }).click();
    await page.getByRole('option', { name: /^Grace/ }).click();
    await page.getByText('As Grace (7) gets it').waitFor();
    await page.locator('.card tbody').getByRole('link', { name: 'Grace' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it.each([false, true])('fit 360 px, whatever the names (dark: %s)', async (dark) => {
    const { page } = await started.logIn(bot.apiKey, { dark, width: 360 });
    await page.goto(`${service.address}/console/broadcasts/${id}`);
    await page.getByRole('table', { name: 'Results' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('and the list has all broadcasts, sorted by what they delivered', async () => {
    await launch(service, bot, { chats: [1] }).then((other) => until(service, other, hasEnded));
    await service.projected();
    const { page, complaints } = await started.logIn(bot.apiKey);
    await page.goto(`${service.address}/console/broadcasts`);
    await page.getByText('1–2 of 2').waitFor();
    await page.getByRole('button', { name: 'Delivered' }).click();
    await expect.poll(() => page.url()).toContain('sort=-count_delivered');
    await expect.poll(() => page.getByRole('rowheader').first().textContent()).toContain(`No. ${id}`);
    await page.getByRole('button', { name: 'Delivered' }).click();
    await expect.poll(() => page.getByRole('rowheader').last().textContent()).toContain(`No. ${id}`);
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByRole('searchbox').press('Enter');
    await page.getByRole('heading', { name: 'No broadcast matches' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
