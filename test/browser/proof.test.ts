import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueKey } from '../../src/commands/catalog/keys.ts';
import { accruals } from '../../src/processes/accruals/accrual-process.ts';
import { parseSigner, privateKeyText } from '../../src/proof/signed-note.ts';
import { axeFindings, CHROMIUM, logInWith, startBrowser, type TestBrowser } from '../support/browser.ts';
import { processed } from '../support/processes.ts';
import { type ProofService, startProofService } from '../support/proof-service.ts';
import { readPdf } from '../support/read-pdf.ts';
import { type RewardProgram, rewardProgram } from '../support/reward-program.ts';

const ADA = 901;
/** A witness that has cosigned nothing. */
const witnessKey = parseSigner(privateKeyText('witness.test', Buffer.alloc(32, 1), 'witness'), 'witness')!.verifierKey;

describe.skipIf(CHROMIUM === undefined)('a referrer checks a proof in a browser', () => {
  let proofs: ProofService;
  let program: RewardProgram;
  let browser: TestBrowser;
  let ownerKey: string;
  let logKey: string;
  /** A proof file with the commits of events. */
  let file: string;
  let saved: string;

  beforeAll(async () => {
    [proofs, browser] = await Promise.all([startProofService(), startBrowser()]);
    const { service, folder } = proofs;
    logKey = proofs.keys.signers[0]!.verifierKey;
    program = await rewardProgram(service);
    const { ownerId, publicKey } = program.bot;
    const key = { ownerId, bots: [publicKey], kind: 'owner', name: null, expiresAt: null } as const;
    ownerKey = (await issueKey(service.commands, key)).apiKey;
    await program.rule({ name: 'Order', amount: '12.5' });
    await program.send({ user_id: await program.referral(ADA) });
    await service.projected();
    await processed(service, accruals.name);
    await service.projected();
    await proofs.signed();
    const query = `user_id=${ADA}&with_events=true`;
    const answer = await service.get(`/v1/referral/proof?${query}`, { 'api-key': ownerKey });
    file = join(folder, 'proof.json');
    await writeFile(file, JSON.stringify(answer.body));
    saved = join(folder, 'saved.html');
    await writeFile(saved, (await service.get('/verify')).body);
  });
  afterAll(async () => {
    await browser.close();
    await proofs.stop();
  });

  const served = (): string => `${proofs.service.address}/verify`;
  const verdict = (page: Page): Promise<string | null> => page.locator('#verdict').textContent();

  it.each(['served', 'saved to a disk'])('on the page, %s', async (from) => {
    const { page, complaints } = await browser.open();
    await page.goto(from === 'served' ? served() : pathToFileURL(saved).href);
    await page.getByLabel('Verifier key').fill(logKey);
    await page.getByLabel('Proof file').setInputFiles(file);
    expect(await verdict(page)).toMatch(new RegExp(`^VALID: account-${program.bot.publicKey}/${ADA} as it was at`));
    expect(await page.locator('#verdict').getAttribute('class')).toBe('valid');
    const balance = page.getByRole('table', { name: 'Balance' });
    expect(await balance.getByRole('cell').allTextContents()).toEqual([expect.any(String), '12.5', '0', '0', '0']);
    const [row] = await page.getByRole('table', { name: 'History' }).locator('tbody tr').allTextContents();
    expect(row).toContain('reward accrued');
    await page.getByRole('link', { name: /^event 0 of commit/ }).click();
    await expect.poll(() => page.locator('details[open] pre').textContent()).toContain('event_id');
    expect(await page.locator('#result').textContent()).toContain('This does not prove that money arrived');
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('and sees that a file is not valid, or that its key is not compared', async () => {
    const { page, complaints } = await browser.open();
    await page.goto(served());
    await page.getByLabel('Proof file').setInputFiles(file);
    await page.locator('#verdict.unsure').waitFor();
    await page.getByLabel('Verifier key').fill(logKey.replace('ledger', 'ladder'));
    await page.keyboard.press('Tab');
    await page.locator('#verdict.wrong').waitFor();
    expect(await verdict(page)).toMatch(/^NOT VALID: /);
    await page.getByLabel('Verifier key').fill(logKey);
    await page.keyboard.press('Tab');
    await page.locator('#verdict.valid').waitFor();
    await page.getByText('Witnesses that you trust').click();
    await page.getByLabel('Policy').fill(`witness w ${witnessKey}\nquorum w`);
    await page.keyboard.press('Tab');
    await page.locator('#verdict.wrong').waitFor();
    expect(await verdict(page)).toMatch(/lacks cosignatures/);
    await page.getByLabel('Policy').fill('quorum none');
    await page.keyboard.press('Tab');
    await page.locator('#verdict.valid').waitFor();
    const changed = (await readFile(file, 'utf8')).replace('\\"amount\\":\\"12.5\\"', '\\"amount\\":\\"92.5\\"');
    const buffer = Buffer.from(changed);
    await page.getByLabel('Proof file').setInputFiles({ name: 'changed.json', mimeType: 'application/json', buffer });
    await page.locator('#verdict.wrong').waitFor();
    expect(await verdict(page)).toMatch(/is not in the signed tree/);
    expect(complaints).toEqual([]);
  });

  it('on a page that can send nothing and run no other script', async () => {
    const { page } = await browser.open();
    for (const address of [served(), pathToFileURL(saved).href]) {
      await page.goto(address);
      const blocked = page.waitForEvent('console', (message) => message.text().includes('Content Security Policy'));
      await page.evaluate((url) => void fetch(url).catch(() => {}), proofs.service.address);
      await blocked;
    }
    const { headers } = await proofs.service.get('/verify');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'sha256-\S+'; style-src 'sha256-\S+';/,
    );
  });

  it('after the owner has downloaded it in the console', async () => {
    const { page, complaints } = await browser.open();
    await logInWith({ page }, proofs.service.address, ownerKey);
    await page.goto(`${proofs.service.address}/console/referrals?bot=${program.bot.publicKey}&user=${ADA}`);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the proof' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`proof-${ADA}.json`);
    await page.getByRole('link', { name: 'Page that checks it' }).click();
    await page.getByLabel('Verifier key').fill(logKey);
    await page.getByLabel('Proof file').setInputFiles(await download.path());
    await page.locator('#verdict.valid').waitFor();
    expect(complaints).toEqual([]);
  });

  it('and the owner downloads a statement of a period there, as PDF with the proof', async () => {
    const { page, complaints } = await browser.open();
    await logInWith({ page }, proofs.service.address, ownerKey);
    await page.goto(`${proofs.service.address}/console/referrals?bot=${program.bot.publicKey}&user=${ADA}`);
    const card = page.getByRole('region', { name: 'Statement' });
    await card.getByLabel('First day').fill('2020-01-01');
    const downloading = page.waitForEvent('download');
    await card.getByRole('button', { name: 'Download the statement' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`statement-${ADA}.pdf`);
    const { lines, attachments } = await readPdf(await readFile(await download.path()));
    expect(lines.flat()).toContain('12.5');
    expect(lines.map((line) => line.join(' ')).join('\n')).toContain('Period 2020-01-01 00:00:00 to');
    expect([...attachments.keys()]).toEqual([`proof-${ADA}.json`]);
    await card.getByLabel('First day').fill('2999-01-01');
    await card.getByRole('button', { name: 'Download the statement' }).click();
    await expect.poll(() => card.textContent()).toContain('has not begun');
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
  });
});
