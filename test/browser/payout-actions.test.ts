import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueKey } from '../../src/commands/catalog/keys.ts';
import { accruals } from '../../src/processes/accruals/accrual-process.ts';
import { axeFindings, CHROMIUM, HOSTILE } from '../support/browser.ts';
import { processed } from '../support/processes.ts';
import { type RewardProgram, rewardProgram } from '../support/reward-program.ts';
import type { TestService } from '../support/service.ts';
import { startConsole, type TestConsole } from '../support/test-console.ts';

describe.skipIf(CHROMIUM === undefined)('payouts and rewards are changed in the console', () => {
  let started: TestConsole;
  let service: TestService;
  let program: RewardProgram;
  let ownerKey: string;
  const ADA = 901;

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

  async function order(): Promise<void> {
    await program.send({ user_id: await program.referral(ADA) });
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
