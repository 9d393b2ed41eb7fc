import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import { customEventsReceived } from '../../../src/domain/intake/intake-events.ts';
import { ANY_CATEGORIES, intakeStream } from '../../../src/domain/streams.ts';
import type { EventLog } from '../../../src/log/port.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import type { Process, ProcessContext } from '../../../src/processes/process.ts';
import { processesOf } from '../../../src/processes/process-registry.ts';
import { migrateProcessesSchema } from '../../../src/processes/process-states.ts';
import { runProcesses } from '../../../src/processes/run-processes.ts';
import { type ProjectionStatus, projectionStatus } from '../../../src/projections/runtime/status.ts';
import { pause } from '../../../src/util/pause.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { readModels } from '../../support/read-models.ts';

/** The runtime of processes, with processes that only record that they run. */

let database: TestDatabase;
let log: EventLog;
let stops: (() => Promise<void>)[];

beforeEach(async () => {
  database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
  await migrateProcessesSchema(database.pool);
  log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await log.close();
  await database.drop();
});

function start(instance: string, process: Process): () => Promise<void> {
  const stopping = new AbortController();
  const logger = pino({ level: 'silent' });
  const context = { log, pool: database.pool, instance, logger, config: readConfig({}), sources: systemSources };
  const running = runProcesses(context, [process], stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  stops.push(stop);
  return stop;
}

async function status(): Promise<ProjectionStatus | undefined> {
  const rows = await projectionStatus(database.pool, log, []);
  return rows.find(({ kind }) => kind === 'process');
}

async function append(): Promise<void> {
  await log.append({
    id: systemSources.uuid(),
    stream: intakeStream('b1'),
    expected: 'any',
    at: systemSources.now(),
    events: [customEventsReceived.create({ items: [{ event_id: 101, user_id: 7 }] })],
  });
}

test('no process has the name of another process or of a read model, since one list shows both', () => {
  const names = [...processesOf({ PROOF: 'on' }), ...readModels].map(({ name }) => name);
  expect(names.toSorted()).toEqual([...new Set(names)].sort());
});

test('a process is listed at the position that it has noted, and resumes there', async () => {
  const found: number[] = [];
  const process: Process = {
    name: 'noting',
    instances: 'one',
    async run({ log, note, reached }, signal) {
      found.push((await reached()).size);
      note(await log.endCursor());
      await pause(60_000, signal);
    },
  };
  await append();
  const stop = start('a', process);
  const position = [...(await log.endCursor()).values()][0]!;
  await expect
    .poll(status)
    .toMatchObject({ name: 'noting', kind: 'process', state: 'live', position, lag: { events: 0, seconds: 0 } });
  await append();
  expect(await status()).toMatchObject({ position, lag: { events: 1 } });
  await stop();
  expect(await status()).toMatchObject({ position });
  start('b', process);
  await expect.poll(() => found).toEqual([0, 1]);
});

test('a process that fails shows its error and restarts, and is healthy after progress', async () => {
  let runs = 0;
  start('a', {
    name: 'failing',
    instances: 'all',
    async run({ log, note }, signal) {
      if (++runs === 1) throw new Error('the first time it fails');
      await pause(700, signal); // as long as it has done nothing, the error is shown
      note(await log.endCursor());
      await pause(60_000, signal);
    },
  });
  await expect.poll(status).toMatchObject({ state: 'stopped', error: 'the first time it fails', next: null });
  await expect.poll(status).toMatchObject({ state: 'live', error: null });
  expect(runs).toBe(2);
});

test('a part of the work that fails is listed with the process until it works again', async () => {
  const reports: Parameters<ProcessContext['reportFailure']>[] = [
    ['broadcast 7', { error: 'a bug', againMs: 60_000 }],
    ['broadcast 12', { error: 'another', againMs: 60_000 }],
    // Not reported again for more than a minute after it should have been tried again.
    ['broadcast 1', { error: 'long ago', againMs: -60_001 }],
  ];
  let mended = (): void => {};
  start('a', {
    name: 'failing',
    instances: 'all',
    async run({ log, note, reportFailure }, signal) {
      for (const each of reports) reportFailure(...each);
      mended = () => {
        for (const [subject] of reports) reportFailure(subject, null);
      };
      while (!signal.aborted) {
        note(await log.endCursor());
        await pause(50, signal);
      }
    },
  });
  await expect.poll(status).toMatchObject({ state: 'stopped', error: 'broadcast 12: another (and 1 more)' });
  mended();
  await expect.poll(status).toMatchObject({ state: 'live', error: null });
});

test('one of two instances runs an exclusive process, the other takes over, and a stop waits for the work', async () => {
  const events: string[] = [];
  const process = (who: string): Process => ({
    name: 'alone',
    instances: 'one',
    async run(_context, signal) {
      events.push(`${who} runs`);
      await pause(60_000, signal);
      await pause(100);
      events.push(`${who} is done`);
    },
  });
  const stop = start('a', process('a'));
  await expect.poll(() => events).toEqual(['a runs']);
  start('b', process('b'));
  await stop();
  expect(events).toEqual(['a runs', 'a is done']);
  await expect.poll(() => events).toEqual(['a runs', 'a is done', 'b runs']);
});
