import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { intakeStream } from '../../../src/domain/streams.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { axeFindings, CHROMIUM, type ConsolePage, HOSTILE, type PageOptions } from '../../support/browser.ts';
import { giveReason, linksOf, row, section } from '../../support/operations-page.ts';
import { createOperator, type TestOperator } from '../../support/operators.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';
import { watchedReadModels } from '../../support/watched-read-models.ts';

const ANSWER_MS = 30_000;

describe.skipIf(CHROMIUM === undefined)('the console shows operators how the service works', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;
  let actor: TestOperator;
  /** Errors of commits that the read model `events` refuses. */
  const refused = new Map<string, string>();

  beforeAll(async () => {
    const models = watchedReadModels((name, commits) => {
      if (name !== 'events') return;
      for (const { causation } of commits)
        if (causation !== undefined && refused.has(causation)) throw new TypeError(refused.get(causation));
    });
    started = await startConsole({ ADMIN_API: 'on', ON_BAD_EVENT: 'dead-letter' }, models);
    ({ service } = started);
    bot = await service.createBot();
    actor = await createOperator(service, 'act', HOSTILE[0]);
    for (const event of HOSTILE)
      await service.post('/v1/send-event', { event, user_id: 404 }, { 'api-key': bot.apiKey });
    await service.projected();
  });
  afterAll(() => started.stop());

  const open = (options?: PageOptions, key = actor.operatorKey): Promise<ConsolePage> => started.logIn(key, options);

  /** Appends a commit that the read model `events` cannot apply. */
  async function appendBad(error: string): Promise<void> {
    const cause = systemSources.uuid();
    refused.set(cause, error);
    const item = { update_id: 1, user_id: 7, makes_user: true, is_bot: false, is_premium: false, event_id: 1 };
    await service.log.append({
      id: systemSources.uuid(),
      stream: intakeStream(bot.publicKey),
      expected: 'any',
      at: systemSources.now(),
      events: [{ type: 'updates_received', v: 2, data: { items: [{ ...item, text: HOSTILE[1] }] } }],
      causation: cause,
    });
    await service.projected();
  }

  it('an operator sees Operations and nothing of owners; an owner does not see it', async () => {
    const operator = await open();
    await operator.page.getByRole('heading', { name: 'Read models' }).waitFor();
    expect(await linksOf(operator.page)).toEqual(['Operations']);
    expect(await operator.page.getByRole('combobox', { name: 'Bot' }).count()).toBe(0);
    await operator.page.goto(`${service.address}/console/reports`);
    await operator.page.getByText('There is no such page.').waitFor();
    const owner = await open({}, bot.apiKey);
    expect(await linksOf(owner.page)).not.toContain('Operations');
    await owner.page.goto(`${service.address}/console/operations`);
    await owner.page.getByText('This page is for operators.').waitFor();
    expect([...operator.complaints, ...owner.complaints]).toEqual([]);
  });

  it('an operator who can only read has no button that changes anything', async () => {
    const reader = await createOperator(service, 'read');
    const { page } = await open({}, reader.operatorKey);
    await page.getByText('Your key can only read.').waitFor();
    await page.getByRole('heading', { name: 'Bot errors' }).waitFor();
    await page.getByRole('button', { name: 'Refresh' }).waitFor();
    const buttons = await page.locator('main').getByRole('button').allInnerTexts();
    expect(buttons).toEqual(['Refresh']);
  });

  it('a dead letter is skipped with a reason, and its text does not run', async () => {
    await appendBad(HOSTILE[2]!);
    const { page, complaints } = await open();
    const letters = section(page, 'Dead letters');
    await letters.getByText(HOSTILE[2]!).waitFor();
    await letters.getByText('Events of the commit (1)').click();
    await letters.getByText(HOSTILE[1]!).waitFor();
    await letters.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('alert').getByText('it was refused again').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await letters.getByRole('button', { name: 'Skip' }).click();
    await giveReason(page, HOSTILE.join(' '));
    await letters.getByText('None: every read model has applied every commit.').waitFor();
    const { commits } = await service.log.read('projection-events');
    expect(commits.at(-1)).toMatchObject({
      keyId: actor.operatorId,
      events: [{ type: 'dead_letter_skipped', data: { reason: HOSTILE.join(' ') } }],
    });
    expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);
  });

  it('a read model is rebuilt, verified, switched and dropped, each with a reason', async () => {
    const { page, complaints } = await open();
    const models = section(page, 'Read models');
    await models.getByRole('button', { name: 'Rebuild reports' }).click();
    await giveReason(page, HOSTILE[0]!);
    await row(models, 'reports version 2').getByText('Compare it with a replay of the log.').waitFor();
    await models.getByRole('button', { name: 'Verify reports' }).click();
    await giveReason(page, HOSTILE[3]!);
    await row(models, 'reports version 2').getByText('It equals a replay.').waitFor();
    await models.getByRole('button', { name: 'Switch reports version 2' }).click();
    await giveReason(page, HOSTILE[4]!);
    await row(models, 'reports version 2').getByText('Answers').waitFor();
    await models.getByRole('button', { name: 'Drop reports version 1' }).click();
    await giveReason(page, HOSTILE[5]!);
    await row(models, 'reports version 1').waitFor({ state: 'detached' });
    const jobs = section(page, 'Jobs');
    expect(await jobs.getByText(`\u2068${HOSTILE[0]}\u2069,`).count(), 'the operator’s name').toBeGreaterThan(0);
    expect(await jobs.textContent()).toContain(HOSTILE[3]);
    expect(complaints).toEqual([]);
  });

  it('a build is paused, resumed and dropped by buttons, and shows its limit', async () => {
    const asked = { kind: 'rebuild', projection: 'events', max_rate: 1, reason: 'rows were wrong' };
    expect((await service.post('/admin/v1/jobs', asked, actor.key)).status).toBe(202);
    const { page, complaints } = await open();
    const models = section(page, 'Read models');
    const events = row(models, 'events version 2');
    await events.getByText('Limited to 1 event a second.').waitFor({ timeout: ANSWER_MS });
    await models.getByRole('button', { name: 'Pause events version 2' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await events.getByText('Its build is paused').waitFor({ timeout: ANSWER_MS });
    await models.getByRole('button', { name: 'Resume events version 2' }).click();
    await page.getByRole('button', { name: 'Confirm' }).click();
    await models.getByRole('button', { name: 'Pause events version 2' }).waitFor();
    await models.getByRole('button', { name: 'Drop events version 2' }).click();
    await giveReason(page, 'not needed now');
    await events.waitFor({ state: 'detached', timeout: ANSWER_MS });
    expect(complaints).toEqual([]);
  });

  it('an audit is asked for by a button, and the last one has its result and date', async () => {
    const { page, complaints } = await open();
    const audit = section(page, 'Audit');
    await audit.getByRole('button', { name: 'Audit now' }).click();
    await giveReason(page, 'the monthly audit');
    await audit.getByText('done: looked at').waitFor({ timeout: ANSWER_MS });
    const { body } = await service.get('/admin/v1/jobs?kind=audit&limit=1', actor.key);
    expect(await audit.textContent()).toContain(body.data.items[0].summary);
    // As the account's page links it.
    await page.goto(`${service.address}/console/operations?bot=${bot.publicKey}&user=7`);
    await audit.getByRole('button', { name: 'Audit this account' }).click();
    await giveReason(page, 'the referrer asked');
    const account = `user 7 of bot ${bot.publicKey}`;
    await audit.getByText(`${account}: done: compared 0 lines`).waitFor({ timeout: ANSWER_MS });
    // The audit of one account says nothing of the whole log.
    await audit.getByText('done: looked at').waitFor();
    const { body: last } = await service.get('/admin/v1/jobs?kind=audit&limit=1', actor.key);
    expect(last.data.items).toMatchObject([{ bot: bot.publicKey, user_id: 7, reason: 'the referrer asked' }]);
    expect(complaints).toEqual([]);
  });

  it('bot errors and processes are the same as in the API', async () => {
    const { page } = await open();
    const errors = section(page, 'Bot errors of the last 7 days');
    await errors.getByText('User with id … was not found').waitFor();
    const { body } = await service.get('/admin/v1/bot-errors', actor.key);
    const shown = await errors
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((each) => [...each.querySelectorAll('td.number')].map((cell) => cell.textContent)),
      );
    expect(shown).toEqual(
      body.data.items.map((each: Record<string, number>) =>
        [each['count'], each['unresolved'], each['bots']].map(String),
      ),
    );
    const processes = await service.get('/admin/v1/processes', actor.key);
    const names = processes.body.data.items.map(({ name }: { name: string }) => name);
    expect(await section(page, 'Background processes').locator('tbody th').allInnerTexts()).toEqual(names);
  });

  it('a refusal of the service is shown in words', async () => {
    const { page } = await open();
    const models = section(page, 'Read models');
    await models.getByRole('button', { name: 'Rebuild referral' }).click();
    await page.getByLabel('Why? The log keeps it.').fill('   ');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('alert').getByText('must say why (at reason)').waitFor();
  });

  it.each([false, true])('has no axe finding, also while it asks why (dark: %s)', async (dark) => {
    await appendBad(HOSTILE[0]!);
    const { page } = await open({ dark });
    await section(page, 'Dead letters').getByText('Events of the commit (1)').first().click();
    await section(page, 'Bot errors of the last 7 days').getByRole('button').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await section(page, 'Dead letters').getByRole('button', { name: 'Skip' }).first().click();
    await page.getByRole('dialog').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Back' }).click();
  });

  it('fits a page of 360 px', async () => {
    const { page } = await open({ width: 360 });
    await section(page, 'Bot errors of the last 7 days').getByRole('button').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  });
});
