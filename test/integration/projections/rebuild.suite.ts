import { isDeepStrictEqual } from 'node:util';
import PQueue from 'p-queue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyOf } from '../../../src/log/stream-name.ts';
import { type ReadModel, schemaOf } from '../../../src/projections/read-model.ts';
import { pause } from '../../../src/util/pause.ts';
import { type Answers, allAnswers, type FilledBots, fillService, request } from '../../support/all-answers.ts';
import { withCounter } from '../../support/changed-read-models.ts';
import { readAll } from '../../support/log.ts';
import { botledger, operate } from '../../support/operate.ts';
import { readModels } from '../../support/read-models.ts';
import { startTestInstance, type TestBot, type TestService } from '../../support/service.ts';

/** A pause between requests: they would else take the processor from the rebuild. */
const ASKS_APART_MS = 20;

/** Each instance has its own connections to the database. */
const COMMANDS_AT_ONCE = 3;

/** All read models. */
export const NAMES = readModels.map(({ name }) => name);

export interface RebuildOptions {
  /** The read models to rebuild with the same tables; absent: all, one after the other. */
  readonly unchanged?: readonly string[];
  /**
   * The read models that a new binary builds with other tables: all names of one element at once; absent: all, one
   * after the other.
   */
  readonly changes?: readonly (readonly string[])[];
}

/** A read model is rebuilt while the live version answers, and no client of the service notices. */
export function describeRebuild(
  start: () => Promise<TestService>,
  { unchanged = NAMES, changes = NAMES.map((name) => [name]) }: RebuildOptions = {},
): void {
  let service: TestService;
  let filled: FilledBots;
  /** A bot with traffic all the time. */
  let busy: TestBot;
  let before: Answers;
  beforeAll(async () => {
    service = await start();
    filled = await fillService(service);
    busy = await service.createBot();
    before = await allAnswers(service.address, filled);
  });
  afterAll(() => service.stop());

  /** Each request, of any read model, gets the same answer all the time. */
  function watchAnswers(): () => Promise<string[]> {
    const ends = [askAllTheTime(service.address, busy), compareAllTheTime(service.address, filled, before)];
    return async () => (await Promise.all(ends.map((end) => end()))).flat();
  }
  const run = (argv: string, models?: readonly ReadModel[]) => operate(service.env, argv.split(' '), models);

  test.each(unchanged)('%s: the same tables again', async (name) => {
    const noticed = watchAnswers();
    try {
      expect(await run(`projection rebuild ${name}`)).toMatchObject({
        name,
        version: 2,
        state: 'ready',
        error: null,
      });
      expect(await run(`projection rebuild ${name}`), 'again').toMatchObject({ version: 2 });
      expect(await botledger(service.env, ['projection', 'switch', name])).toMatchObject({
        code: 1,
        err: expect.stringContaining('was not verified'),
      });
      await run(`projection verify ${name}`);
      expect(await run(`projection switch ${name}`)).toMatchObject({ version: 2, state: 'live' });
      expect(await run(`projection drop ${name} --version 1`)).toMatchObject({ version: 1 });
    } finally {
      expect(await noticed()).toEqual([]);
    }
    expect(await allAnswers(service.address, filled)).toEqual(before);
    const rows = (await run('projection list')).filter((row: { name: string }) => row.name === name);
    expect(rows).toMatchObject([{ version: 2, state: 'live', next_command: null }]);
  });

  test.each(changes.map((names) => ({ names })))('$names: other tables, filled from the history', async ({ names }) => {
    const changed = readModels.map((model) => (names.includes(model.name) ? withCounter(model) : model));
    const queue = new PQueue({ concurrency: COMMANDS_AT_ONCE });
    const each = <T>(work: (name: string) => Promise<T>): Promise<T[]> =>
      queue.addAll(names.map((name) => () => work(name)));
    const noticed = watchAnswers();
    let next: Awaited<ReturnType<typeof startTestInstance>> | undefined;
    try {
      // Commands of a new binary, while instances of the old binary keep running.
      const built = await each((name) => run(`projection rebuild ${name}`, changed));
      await each((name) => run(`projection verify ${name}`, changed));
      await each((name) => run(`projection switch ${name}`, changed));
      next = await startTestInstance(service.env, changed);
      expect(await allAnswers(next.address, filled)).toEqual(before);

      await service.projected();
      for (const { name, version } of built) {
        const model = readModels.find((one) => one.name === name)!;
        const types: readonly string[] = model.events;
        const intake = (await readAll(service.log, { categories: model.categories })).filter(
          ({ stream, events }) =>
            keyOf(stream) === filled.bot.publicKey && events.some(({ type }) => types.includes(type)),
        );
        const counted = `SELECT n FROM ${schemaOf(name, version)}.commits_seen WHERE key = $1`;
        await expect
          .poll(async () => (await service.database.pool.query(counted, [filled.bot.publicKey])).rows[0]?.n ?? 0, {
            timeout: 10_000,
            message: name,
          })
          .toBeGreaterThanOrEqual(intake.length);
      }
      expect(await allAnswers(service.address, filled), 'the old binary').toEqual(before);
      await next.stop(); // it would build its version again
      next = undefined;
      // Back to the old version. It has followed the log.
      await each((name) => run(`projection switch ${name} --force`));
      for (const { name, version } of built) await run(`projection drop ${name} --version ${version}`, changed);
    } finally {
      await next?.stop();
      expect(await noticed()).toEqual([]);
    }
  });
}

/**
 * Sends events and asks for reports, one after the other, until it is stopped.
 * @returns the failures: answers that are not 200, and counts that are lower than an earlier one
 */
function askAllTheTime(address: string, { apiKey }: TestBot): () => Promise<string[]> {
  const noticed: string[] = [];
  const key = { 'api-key': apiKey };
  let stopped = false;
  let counted = 0;
  const report_config = {
    source_request: {
      type: 'trends',
      type_chart: 'table',
      requests: [{ type: 'trend', event_id: null, event_name: 'any', agr: 'total' }],
    },
    settings: { params: { ':date_from': '2020-01-01 00:00:00', ':date_to': '2030-01-01 00:00:00' } },
  };
  async function ask(path: string, body?: object): Promise<object> {
    const answer = await request(`${address}/v1/${path}`, key, body);
    if (answer.status !== 200) noticed.push(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  async function loop(): Promise<void> {
    for (let i = 0; !stopped; i++) {
      await ask('send-update', { update: start(i) });
      await ask('reports/resources');
      await ask('reports/events');
      const { data } = (await ask('reports/preview', { report_config })) as { data?: { rows: { value: number }[] } };
      const total = data?.rows[0]?.value ?? -1;
      if (total < counted) noticed.push(`counted ${total} after ${counted}`);
      counted = Math.max(counted, total);
      await pause(ASKS_APART_MS);
    }
  }
  const looping = loop();
  return async () => {
    stopped = true;
    await looping;
    return noticed;
  };
}

/** Asks for every kind of answer, about a bot without traffic, until it is stopped. @returns the answers that changed */
function compareAllTheTime(address: string, filled: FilledBots, before: Answers): () => Promise<string[]> {
  const noticed: string[] = [];
  let stopped = false;
  async function loop(): Promise<void> {
    while (!stopped) {
      for (const [name, answer] of Object.entries(await allAnswers(address, filled)))
        if (!isDeepStrictEqual(answer, before[name])) noticed.push(`${name}: ${JSON.stringify(answer)}`);
      await pause(ASKS_APART_MS);
    }
  }
  const looping = loop();
  return async () => {
    stopped = true;
    await looping;
    return noticed;
  };
}

function start(id: number): object {
  const from = { id: 1 + (id % 50), is_bot: false, first_name: 'Ada' };
  const chat = { id: from.id, type: 'private' };
  return { update_id: id, message: { message_id: id, date: Math.floor(Date.now() / 1000), chat, from, text: 'hello' } };
}
