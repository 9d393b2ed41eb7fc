import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { ensureUnit } from '../../../src/commands/catalog/units.ts';
import { accruals } from '../../../src/processes/accruals/accrual-process.ts';
import { axeFindings, CHROMIUM, HOSTILE } from '../../support/browser.ts';
import { processed } from '../../support/processes.ts';
import { type RewardProgram, rewardProgram } from '../../support/reward-program.ts';
import type { TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

describe.skipIf(CHROMIUM === undefined)('payouts and rewards are changed in the console', () => {
  let started: TestConsole;
  let service: TestService;
  let program: RewardProgram;
  let ownerKey: string;
  const [ADA, BEA] = [901, 902];

  beforeAll(async () => {
    started = await startConsole();
    ({ service } = started);
    program = await rewardProgram(service, 'UTC');
    await program.rule({ name: 'Orders', amount: '5' });
    const { ownerId, publicKey } = program.bot;
    const key = { ownerId, bots: [publicKey], kind: 'owner', name: null, expiresAt: null } as const;
    ownerKey = (await issueKey(service.commands, key)).apiKey;
    await order();
  });
  afterAll(() => started.stop());

  async function order(referrer = ADA): Promise<void> {
    await program.send({ user_id: await program.referral(referrer) });
    await service.projected();
    await processed(service, accruals.name);
    await service.projected();
  }

  const url = (query: Readonly<Record<string, string>>): string =>
    `${service.address}/console/referrals?${new URLSearchParams({ bot: program.bot.publicKey, ...query })}`;
  const payoutOf = async (id: number) => (await program.call.data(`all-payouts?payout_id=${id}`)).payouts[0];

  it('sends a failed payout again, and cancels it with a reason', async () => {
    // The bot has no webhook, so the payout fails at once.
    const { payout_id: id } = await program.call.data('payout', { user_id: ADA });
    await expect.poll(async () => (await payoutOf(id)).status).toBe(3);
    const console = await started.logIn(ownerKey);
    const { page } = console;
    await page.goto(url({ view: 'payouts' }));
    const row = page.locator(`#payout-${id}`);
    await row.getByRole('button', { name: 'Send it again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('the same payout with the same id').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByLabel('Reason').fill('webhook was repaired');
    await dialog.getByRole('button', { name: 'Send it again' }).click();
    await row.getByText('webhook was repaired').waitFor();
    await expect.poll(async () => (await payoutOf(id)).status).toBe(3);
    await row.getByRole('button', { name: 'Cancel it' }).click();
    await dialog.getByLabel('Reason').fill(HOSTILE[0]!);
    await dialog.getByRole('button', { name: 'Cancel it' }).click();
    await expect.poll(() => row.locator('.pill').textContent()).toBe('cancelled');
    expect(await row.textContent()).toContain(HOSTILE[0]);
    expect(await payoutOf(id)).toMatchObject({ status: 4, reason: HOSTILE[0] });
    expect(console.complaints).toEqual([]);
  });

  it('marks a payout by hand as paid, and takes a reward back', async () => {
    await order();
    const { payout_id: id } = await program.call.data('payout', { user_id: ADA, method: 'manual' });
    const console = await started.logIn(ownerKey);
    const { page } = console;
    await page.goto(url({ user: `${ADA}` }));
    await page.locator(`#payout-${id}`).getByRole('button', { name: 'Mark as paid' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Mark as paid' }).click();
    await expect.poll(() => page.locator(`#payout-${id}`).locator('.pill').textContent()).toBe('paid');
    expect(await payoutOf(id)).toMatchObject({ status: 2, reason: null });
    await page.getByRole('button', { name: 'Take back…' }).first().click();
    await dialog.getByLabel('Reason').fill('order was returned');
    await dialog.getByRole('button', { name: 'Take it back' }).click();
    await page.getByText('taken back after it was paid').waitFor();
    expect((await program.call.data(`history?user_id=${ADA}&order=desc&limit=1`)).history).toMatchObject([
      { event: 'compensated', reason: 'order was returned' },
    ]);
    expect(console.complaints).toEqual([]);
  });

  it('requests a payout of all that is available, and the button goes when nothing is', async () => {
    await order(BEA);
    const { page, complaints } = await started.logIn(program.bot.apiKey);
    await page.goto(url({ user: `${BEA}` }));
    await page.getByRole('button', { name: 'Pay out…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('5 USD').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const label = (await dialog.getByText('Method', { exact: true }).boundingBox())!;
    const field = (await dialog.getByLabel('Method').boundingBox())!;
    expect(label.y + label.height).toBeLessThanOrEqual(field.y);
    // Without a webhook the other way would fail at once.
    expect(await dialog.getByLabel('Method').inputValue()).toBe('manual');
    await dialog.getByRole('button', { name: 'Request the payout' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Pay out…' }).waitFor({ state: 'detached' });
    const { payouts } = await program.call.data(`payouts?user_id=${BEA}&limit=1`);
    expect(payouts).toMatchObject([{ amount: 5, method: 'manual', status: 0 }]);
    await page.locator(`#payout-${payouts[0].payout_id}`).getByText('no delivery: by hand').waitFor();
    expect(complaints).toEqual([]);
  });

  it('gives the ledger as CSV with the lines of the API, and of one unit', async () => {
    const { unit_id } = await ensureUnit(service.commands, program.bot.publicKey, 'EUR');
    await program.rule({ name: 'In euros', amount: '2.5', unit_id });
    await service.projected();
    await order();
    const { page, complaints } = await started.logIn(program.bot.apiKey);
    await page.goto(url({ user: `${ADA}` }));
    const csvOf = async (): Promise<string[][]> => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'CSV' }).click(),
      ]);
      expect(file.suggestedFilename()).toMatch(/, ledger\.csv$/);
      return parse(readFileSync(await file.path()));
    };
    const [head, ...rows] = await csvOf();
    expect(head!.slice(0, 4)).toEqual(['Date, UTC', 'What happened', 'Unit', 'Amount']);
    const { history } = await program.call.data(`history?user_id=${ADA}&order=desc&limit=200`);
    const known = (lines: { date: string; amount: number; available: number }[]) =>
      lines.map(({ date, amount, available }) => [date, `${amount}`, `${available}`]);
    expect(rows.map((row) => [row[0], row[3], row[4]])).toEqual(known(history));
    await page.getByLabel('Unit of the lines').selectOption({ label: 'EUR' });
    const lines = page.getByRole('group', { name: 'History' }).locator('tbody tr');
    await expect.poll(() => lines.count()).toBe(1);
    const inEuros = await csvOf();
    expect(inEuros.slice(1).map((row) => [row[2], row[3]])).toEqual([['EUR', '2.5']]);
    expect(complaints).toEqual([]);
  });

  it('tells a personal key what it lacks', async () => {
    await order();
    await order();
    const { payout_id: id } = await program.call.data('payout', { user_id: ADA, method: 'manual' });
    const { page } = await started.logIn(program.bot.apiKey);
    await page.goto(url({ view: 'payouts' }));
    const row = page.locator(`#payout-${id}`);
    await row.getByText('log in with an owner key').waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
  });
});
