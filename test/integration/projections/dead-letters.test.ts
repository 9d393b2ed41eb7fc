import { afterEach, describe, expect, test } from 'vitest';
import { deadLetterSkipped } from '../../../src/domain/operations/dead-letter-events.ts';
import { projectionStream } from '../../../src/domain/streams.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { appendUpdate } from '../../support/append-update.ts';
import { longOnly } from '../../support/long-only.ts';
import { botledger, operate } from '../../support/operate.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';
import { watchedReadModels } from '../../support/watched-read-models.ts';

/** Events that a read model cannot apply: it stops or makes them dead letters, and operators decide. */

let service: TestService;
let bot: TestBot;
/** Causes of commits that the read model `events` refuses until it is repaired. */
let refused: Set<string>;
let updateId: number;

async function start(ON_BAD_EVENT: string): Promise<void> {
  refused = new Set(['poison']);
  updateId = 1;
  service = await startTestService({ ON_BAD_EVENT }, undefined, undefined, models);
  bot = await service.createBot();
}
afterEach(() => service.stop());

const models = watchedReadModels((name, commits) => {
  if (name !== 'events') return;
  for (const { causation } of commits)
    if (causation !== undefined && refused.has(causation)) throw new TypeError('this commit cannot be taken');
});

const append = (causation?: string): Promise<string> => appendUpdate(service.log, bot.publicKey, updateId++, causation);

const run = (...argv: string[]) => operate(service.env, argv, models);

// biome-ignore lint/suspicious/noExplicitAny: a row of an answer
async function eventsRow(): Promise<any> {
  const rows = (await run('projection', 'list')) as { name: string; version: number }[];
  return rows.find(({ name }) => name === 'events');
}

/** Events of the bot that the read model has. */
async function counted(): Promise<number> {
  const { rows } = await service.database.pool.query<{ n: number }>('SELECT count(*)::int AS n FROM events_v1.events');
  return rows[0]!.n;
}

describe('a read model that stops at a bad event', () => {
  test('shows the error and the next command; it resumes after a repair, and other read models never stop', async () => {
    await start('stop');
    await append();
    const bad = await append('poison');
    await append();
    await expect.poll(async () => (await eventsRow()).state).toBe('stopped');
    const row = await eventsRow();
    expect(row.error).toContain(bad);
    expect(row.next_command).toBe(`botledger dead-letter retry events_v1.${bad}`);
    expect(await counted()).toBe(1);
    const key = { 'api-key': bot.apiKey };
    expect((await service.get('/v1/reports/resources', key)).status).toBe(200);
    const others = (await run('projection', 'list')).filter(({ name }: { name: string }) => name !== 'events');
    expect(new Set(others.map(({ state }: { state: string }) => state))).toEqual(new Set(['live']));

    // Not repaired yet.
    const again = await botledger(service.env, row.next_command.split(' ').slice(1), models);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('refused again') });

    refused.clear();
    await run(...row.next_command.split(' ').slice(1));
    await service.projected();
    expect(await counted()).toBe(3);
    expect(await eventsRow()).toMatchObject({ state: 'live', error: null, next_command: null });
    expect(await run('dead-letter', 'list')).toEqual([]);
  });

  longOnly('resumes without a skipped event, in a rebuild too; the log records the decision', async () => {
    await start('stop');
    await append();
    const bad = await append('poison');
    await append();
    await expect.poll(async () => (await eventsRow()).state).toBe('stopped');
    await run('dead-letter', 'skip', `events_v1.${bad}`, '--reason', 'sent by a broken script');
    await service.projected();
    expect(await counted()).toBe(2);
    const { commits } = await service.log.read(projectionStream('events'));
    expect(commits.flatMap(({ events }) => events).map((event) => deadLetterSkipped.read(event).data)).toEqual([
      { commit_id: bad, version: 1, error: expect.stringContaining(bad), reason: 'sent by a broken script' },
    ]);
    expect(await run('projection', 'rebuild', 'events')).toMatchObject({ version: 2, state: 'ready' });
    await run('projection', 'verify', 'events');
  });
});

describe('a read model that makes bad events dead letters', () => {
  test('keeps running, and applies the commit late after a repair', async () => {
    await start('users=stop,events=dead-letter');
    await append();
    const bad = await append('poison');
    await append();
    await service.projected();
    expect(await counted()).toBe(2);
    expect(await run('dead-letter', 'list')).toMatchObject([
      { id: `events_v1.${bad}`, projection: 'events', version: 1, blocking: false, stream: `intake-${bot.publicKey}` },
    ]);
    expect(await eventsRow()).toMatchObject({ state: 'live', next_command: 'botledger dead-letter list' });

    const again = await botledger(service.env, ['dead-letter', 'retry', `events_v1.${bad}`], models);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining('refused again') });
    refused.clear();
    await run('dead-letter', 'retry', `events_v1.${bad}`);
    expect(await counted()).toBe(3);
    expect(await run('dead-letter', 'list')).toEqual([]);
  });

  test('stops at a bad event in a rebuild', async () => {
    await start('dead-letter');
    await append();
    const bad = await append('poison');
    await service.projected();
    const rebuilt = await botledger(service.env, ['projection', 'rebuild', 'events'], models);
    expect(rebuilt).toMatchObject({ code: 1, err: expect.stringContaining(bad) });
    const rows = (await run('projection', 'list')) as { name: string; version: number }[];
    expect(rows.find(({ name, version }) => name === 'events' && version === 2)).toMatchObject({
      state: 'stopped',
      next_command: `botledger dead-letter retry events_v2.${bad}`,
    });
    // A decision for one version holds for all versions.
    await run('dead-letter', 'skip', `events_v1.${bad}`, '--reason', 'known');
    expect(await run('projection', 'rebuild', 'events')).toMatchObject({ version: 2, state: 'ready' });
    expect(await run('dead-letter', 'list')).toEqual([]);
    expect((await run('projection', 'list')).map((row: { next_command: string | null }) => row.next_command)).toContain(
      'botledger projection verify events',
    );
    const retried = await botledger(service.env, ['dead-letter', 'retry', `events_v2.${bad}`], models);
    expect(retried.err).toBe(`botledger: there is no dead letter events_v2.${bad}\n`);
  });
});

test('a decision on an unknown dead letter, and a skip without a reason, are refused', async () => {
  await start('stop');
  for (const id of ['events_v1.nothing', `events_v9.${systemSources.uuid()}`, `events_v1.${systemSources.uuid()}`]) {
    const { code, err } = await botledger(service.env, ['dead-letter', 'skip', id, '--reason', 'x']);
    expect([code, err]).toEqual([1, `botledger: there is no dead letter ${id}\n`]);
  }
  expect((await botledger(service.env, ['dead-letter', 'skip', 'events_v1.x'])).code).toBe(2);
});
