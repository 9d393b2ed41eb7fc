import { afterEach, describe, expect, test } from 'vitest';
import { EMPTY_STREAM } from '../../../src/log/port.ts';
import type { ReadModel } from '../../../src/projections/read-model.ts';
import { appendUpdate } from '../../support/append-update.ts';
import { newCommit } from '../../support/log.ts';
import { botledger, operate } from '../../support/operate.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { watchedReadModels } from '../../support/watched-read-models.ts';

/** A commit that the read model `events` cannot apply quarantines its bot. */
export function describeQuarantine(startWith: (models: readonly ReadModel[]) => Promise<TestService>): void {
  let service: TestService;
  let bots: [TestBot, TestBot];
  let isRepaired: boolean;
  let updateId: number;

  async function start(): Promise<void> {
    isRepaired = false;
    updateId = 1;
    service = await startWith(models);
    bots = [await service.createBot(), await service.createBot()];
  }
  afterEach(() => service.stop());

  const models = watchedReadModels((name, commits) => {
    if (name === 'events' && !isRepaired && commits.some(({ causation }) => causation === 'poison'))
      throw new TypeError('this commit cannot be taken');
  });

  const append = (bot: TestBot, causation?: string): Promise<string> =>
    appendUpdate(service.log, bot.publicKey, updateId++, causation);

  const run = (...argv: string[]) => operate(service.env, argv, models);

  // biome-ignore lint/suspicious/noExplicitAny: a row of an answer
  async function eventsRow(): Promise<any> {
    const rows = (await run('projection', 'list')) as { name: string; version: number }[];
    return rows.find(({ name }) => name === 'events');
  }

  /** The numbers of the updates that the read model has of a bot, in the order of the log. */
  async function applied(bot: TestBot): Promise<string[]> {
    const { rows } = await service.database.pool.query<{ commit_id: string }>(
      `SELECT commit_id FROM events_v1.events e JOIN events_v1.bots b USING (bot_id)
      WHERE b.public_key = $1 ORDER BY ord`,
      [bot.publicKey],
    );
    return rows.map(({ commit_id }) => commit_id);
  }

  /** How old an answer says that it is, in milliseconds. */
  async function age(bot: TestBot): Promise<number> {
    const answer = await service.get('/v1/events/latest', { 'api-key': bot.apiKey, resource: bot.publicKey });
    expect(answer.status).toBe(200);
    return Date.now() - Date.parse(answer.body.data.data_as_of);
  }

  describe('a commit that cannot be applied', () => {
    test('quarantines its bot: others continue, and answers about the bot say how old they are', async () => {
      await start();
      const [bad, good] = bots;
      const first = await append(bad);
      const poison = await append(bad, 'poison');
      const later = await append(bad);
      const other = await append(good);
      await expect.poll(() => applied(good)).toEqual([other]);
      expect(await applied(bad)).toEqual([first]);
      const row = await eventsRow();
      expect(row).toMatchObject({
        state: 'live',
        quarantined: [{ bot: bad.publicKey, since: expect.any(String) }],
        error: expect.stringContaining(poison),
        next_command: 'botledger dead-letter list',
      });
      expect(row.lag.seconds).toBeLessThan(1);
      await expect.poll(() => age(bad)).toBeGreaterThan(2000);
      expect(await age(good)).toBeLessThan(2000);

      isRepaired = true;
      const retried = await botledger(service.env, ['dead-letter', 'retry', `events_v1.${poison}`], models);
      // The service tries again by itself, and may be first.
      if (retried.code !== 0) expect(retried.err).toContain('there is no dead letter');
      await expect.poll(() => applied(bad)).toEqual([first, poison, later]);
      await expect.poll(eventsRow).toMatchObject({ quarantined: [], error: null, next_command: null });
      expect(await run('dead-letter', 'list')).toEqual([]);
      await run('projection', 'verify', 'events');
    });

    test('lets the bot catch up without a skipped commit', async () => {
      await start();
      const [bad] = bots;
      const poison = await append(bad, 'poison');
      const later = await append(bad);
      await expect.poll(async () => (await eventsRow()).quarantined).toHaveLength(1);
      const refused = await botledger(service.env, ['dead-letter', 'retry', `events_v1.${poison}`], models);
      expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('refused again') });
      expect(await botledger(service.env, ['projection', 'verify', 'events'], models)).toMatchObject({
        code: 1,
        err: expect.stringContaining('quarantined'),
      });
      await run('dead-letter', 'skip', `events_v1.${poison}`, '--reason', 'sent by a broken script');
      await expect.poll(() => applied(bad)).toEqual([later]);
      await expect.poll(eventsRow).toMatchObject({ quarantined: [], error: null });
      await run('projection', 'verify', 'events');
    });

    test('keeps a version that lacks commits of a bot from being switched to', async () => {
      await start();
      const [bad] = bots;
      await append(bad);
      await run('projection', 'rebuild', 'events');
      await run('projection', 'verify', 'events');
      await append(bad, 'poison');
      const rows = async () =>
        (await run('projection', 'list')).filter(({ name }: { name: string }) => name === 'events');
      await expect.poll(rows).toMatchObject([{ quarantined: [{}] }, { quarantined: [{}] }]);
      const toNewest = ['projection', 'switch', 'events'];
      expect(await botledger(service.env, toNewest, models)).toMatchObject({
        code: 1,
        err: expect.stringContaining(`lacks commits of bot ${bad.publicKey}`),
      });
      isRepaired = true;
      await expect.poll(rows).toMatchObject([{ quarantined: [] }, { quarantined: [] }]);
      await run(...toNewest);
    });

    test('makes commands say that what they show of the bot may be old', async () => {
      await start();
      const [bad, good] = bots;
      const list = ['payout', 'list', '--bot', good.publicKey];
      const notices: string[] = [];
      expect(await botledger(service.env, list, models, notices)).toMatchObject({ code: 0 });
      expect(notices).toEqual([]);
      await service.log.append(newCommit(`account-${bad.publicKey}`, { expected: EMPTY_STREAM }));
      const accounts = async () =>
        (await run('projection', 'list')).find(({ name }: { name: string }) => name === 'accounts');
      await expect.poll(accounts).toMatchObject({ quarantined: [{ bot: bad.publicKey }] });
      const ofBad = ['payout', 'list', '--bot', bad.publicKey];
      expect(await botledger(service.env, ofBad, models, notices)).toMatchObject({ code: 0 });
      expect(notices).toEqual([expect.stringContaining(`bot ${bad.publicKey} is quarantined in accounts`)]);
    });

    test('tries again by itself with growing pauses', async () => {
      await start();
      const [bad] = bots;
      const poison = await append(bad, 'poison');
      await expect.poll(async () => (await eventsRow()).quarantined).toHaveLength(1);
      isRepaired = true;
      await expect.poll(() => applied(bad)).toEqual([poison]);
      await expect.poll(eventsRow).toMatchObject({ quarantined: [], error: null });
    });
  });
}
