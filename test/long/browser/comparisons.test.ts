import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FilledBots, fillService } from '../../support/all-answers.ts';
import { axeFindings, CHROMIUM, type ConsolePage, type PageOptions } from '../../support/browser.ts';
import { operate } from '../../support/operate.ts';
import { giveReason, row, section } from '../../support/operations-page.ts';
import { createOperator, type TestOperator } from '../../support/operators.ts';
import { sampleReports } from '../../support/sample-reports.ts';
import type { TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

const ANSWER_MS = 60_000;
const SAME = 'No client will see a difference.';
const DIFFERS = 'Clients will see a difference.';

describe.skipIf(CHROMIUM === undefined)('the console shows what a switch and an upgrade change', () => {
  let started: TestConsole;
  let service: TestService;
  let filled: FilledBots;
  let actor: TestOperator;

  beforeAll(async () => {
    started = await startConsole({ ADMIN_API: 'on' });
    ({ service } = started);
    filled = await fillService(service);
    const report = { report_config: sampleReports()['breakdown'], name: 'By category' };
    expect((await service.post('/v1/reports/save', report, { 'api-key': filled.bot.apiKey })).status).toBe(200);
    actor = await createOperator(service, 'act', '<b>Ann</b>');
  });
  afterAll(() => started.stop());

  const open = (options?: PageOptions, key = actor.operatorKey): Promise<ConsolePage> => started.logIn(key, options);
  const category = (from: string, to: string) =>
    service.database.pool.query(`UPDATE events_v2.events SET category = '${to}' WHERE category = '${from}'`);
  const confirm = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  };
  const compare = async (page: Page, version: number, verdict: string): Promise<void> => {
    await page.getByRole('button', { name: `Compare events version ${version}` }).click();
    await confirm(page);
    await row(section(page, 'Read models'), `events version ${version}`)
      .getByText(verdict)
      .waitFor({ timeout: ANSWER_MS });
  };

  it('an operator plans, builds, compares, switches, and goes back', async () => {
    const { page, complaints } = await open();
    const upgrade = section(page, 'Upgrade');
    await upgrade.getByText('No plan was asked for yet.').waitFor();
    await upgrade.getByRole('button', { name: 'Plan the upgrade' }).click();
    await confirm(page);
    await upgrade.getByText('has nothing to migrate and nothing to build.').waitFor({ timeout: ANSWER_MS });
    await upgrade.getByText(/^Asked for by .*Ann.*, ended .*\. Events since then were not read\.$/).waitFor();
    await upgrade.getByText(/It can read every one of the \d+ types of events/).waitFor();
    const models = section(page, 'Read models');
    expect(await models.getByRole('button', { name: 'Compare' }).count()).toBe(0);
    await models.getByRole('button', { name: 'Rebuild events' }).click();
    await giveReason(page, 'a new shape');
    await row(models, 'events version 2')
      .getByText('Compare it with a replay of the log.')
      .waitFor({ timeout: ANSWER_MS });
    await models.getByRole('button', { name: 'Verify events' }).click();
    await giveReason(page, 'a new shape');
    await row(models, 'events version 2').getByText('It equals a replay.').waitFor({ timeout: ANSWER_MS });
    await compare(page, 2, SAME);
    const comparison = section(page, 'events: version 1 and version 2');
    await comparison.getByText('Saved reports').waitFor();
    await row(models, 'events version 2')
      .getByText(/^As of .+\.$/)
      .waitFor();
    await models.getByRole('button', { name: 'Switch events version 2' }).click();
    await giveReason(page, 'clients notice nothing');
    await row(models, 'events version 2').getByText('Answers').waitFor({ timeout: ANSWER_MS });
    await comparison.waitFor({ state: 'detached', timeout: ANSWER_MS });
    await compare(page, 1, SAME);
    await models.getByRole('button', { name: 'Switch events version 1' }).click();
    await giveReason(page, 'a step back');
    await row(models, 'events version 1').getByText('Answers').waitFor({ timeout: ANSWER_MS });
    expect(complaints).toEqual([]);
  }, 300_000);

  it('an answer that changes is shown with before and after, and so are its rows', async () => {
    await category('hats', 'caps');
    try {
      const { page, complaints } = await open();
      await compare(page, 2, DIFFERS);
      await row(section(page, 'Read models'), 'events version 2')
        .getByRole('link', { name: 'See the differences' })
        .click();
      const comparison = section(page, 'events: version 1 and version 2');
      await comparison.getByText(/^1 of \d+ compared answers changes\.$/).waitFor();
      const changed = comparison.getByRole('table', { name: 'Saved reports that change' });
      expect(await changed.locator('tbody th').textContent()).toContain('By category');
      // A value that writes from right to left must not turn the values around it.
      expect(await changed.locator('tbody td bdi').allInnerTexts()).toEqual(expect.arrayContaining(['hats', 'caps']));
      const [before, after] = await changed.locator('tbody td').allInnerTexts();
      expect([before, after]).toEqual([expect.stringContaining('hats'), expect.stringContaining('caps')]);
      expect(await comparison.getByRole('table', { name: 'Stored rows' }).textContent()).toMatch(
        /events.*category \(\d+\)/s,
      );
      await comparison.getByText('Rows of events', { exact: true }).click();
      const changes = comparison.getByText('category: hats → caps');
      await changes.first().waitFor();
      expect(await changes.first().locator('bdi').allInnerTexts()).toEqual(['hats', 'caps']);
      expect(complaints).toEqual([]);
    } finally {
      await category('caps', 'hats');
    }
  }, 120_000);

  it('says that it is not certain if a bot was left out', async () => {
    const { pool } = service.database;
    await pool.query(
      `INSERT INTO runtime.quarantines (name, version, key, lane, position) VALUES ('events', 2, 'bNone', 0, '')`,
    );
    try {
      const { page } = await open();
      await compare(page, 2, 'No difference was found, but not everything was compared.');
      await section(page, 'events: version 1 and version 2').getByText('bot bNone is quarantined').waitFor();
    } finally {
      await pool.query(`DELETE FROM runtime.quarantines WHERE key = 'bNone'`);
    }
  }, 120_000);

  it('a comparison whose result an erasure has removed says so', async () => {
    const { page } = await open();
    await compare(page, 2, SAME);
    await operate(service.env, ['user', 'erase', '--bot', filled.bot.publicKey, '--user', '2']);
    await page.reload();
    const version = row(section(page, 'Read models'), 'events version 2');
    await version.getByText('an erasure of a user has begun since: compare again').waitFor();
    expect(await version.getByText(SAME).count()).toBe(0);
  }, 120_000);

  it('a build is limited, and its limit removed', async () => {
    const asked = { kind: 'rebuild', projection: 'users', max_rate: 1, reason: 'rows were wrong' };
    expect((await service.post('/admin/v1/jobs', asked, actor.key)).status).toBe(202);
    const { page, complaints } = await open();
    const users = row(section(page, 'Read models'), 'users version 2');
    await users.getByText('Limited to 1 event a second.').waitFor({ timeout: ANSWER_MS });
    await users.getByLabel('Most events a second').fill('2');
    await users.getByRole('button', { name: 'Set limit' }).click();
    await confirm(page);
    await users.getByText('Limited to 2 events a second.').waitFor({ timeout: ANSWER_MS });
    await users.getByLabel('Most events a second').fill('');
    await users.getByRole('button', { name: 'Set limit' }).click();
    await confirm(page);
    await users.getByText('Compare it with a replay of the log.').waitFor({ timeout: ANSWER_MS });
    expect(complaints).toEqual([]);
  }, 120_000);

  it('an operator who can only read sees the result and no button', async () => {
    const reader = await createOperator(service, 'read');
    const { page } = await open({}, reader.operatorKey);
    await section(page, 'Upgrade').getByText('nothing to build').waitFor();
    expect(await page.getByRole('button', { name: /Compare|Plan|Set limit/ }).count()).toBe(0);
  });

  it.each([
    [false, 1440],
    [true, 360],
  ])(
    'has no axe finding and fits its page (dark: %s, %i px)',
    async (dark, width) => {
      await category('hats', 'caps');
      try {
        const { page } = await open({ dark, width });
        await compare(page, 2, DIFFERS);
        const comparison = section(page, 'events: version 1 and version 2');
        await comparison.getByText('Rows of events', { exact: true }).click();
        await comparison.getByText('category: hats → caps').first().waitFor();
        expect(await axeFindings(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      } finally {
        await category('caps', 'hats');
      }
    },
    120_000,
  );
});
