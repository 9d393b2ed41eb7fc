import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { migrateRuntimeSchema } from '../../../src/database/runtime-schema.ts';
import type { Cursor, NewCommit } from '../../../src/log/port.ts';
import type { Process } from '../../../src/processes/process.ts';
import { loadPositions, migrateProcessesSchema } from '../../../src/processes/process-states.ts';
import { runProcesses } from '../../../src/processes/run-processes.ts';
import { createRest } from '../../../src/processes/wait-for-work.ts';
import { projectionStatus } from '../../../src/projections/runtime/status.ts';
import { pause } from '../../../src/util/pause.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type MemoryLog, memoryLog } from '../../support/memory-log.ts';

/** A process that instances share by partitions, on a log of 12. */

const PARTITIONS = 12;
const WAIT = { timeout: 30_000 };

let database: TestDatabase;
let log: MemoryLog;
let stops: (() => Promise<void>)[];
/** By instance: the partitions that it works on, and what it found saved when it began. */
let working: Map<string, { readonly partitions: ReadonlySet<number>; readonly reached: Cursor }>;
/** The instance that fails. */
let failing: string | null;

beforeEach(async () => {
  database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
  await migrateProcessesSchema(database.pool);
  log = memoryLog(PARTITIONS);
  stops = [];
  working = new Map();
  failing = null;
});
afterEach(async () => {
  for (const stop of stops) await stop();
  await database.drop();
});

/** Notes the end of the log again and again, of all partitions, as a process that has done all work. */
const noting: Process = {
  name: 'noting',
  instances: 'shared',
  async run(context, signal) {
    const { instance, partitions } = context;
    working.set(instance, { partitions, reached: await context.reached() });
    try {
      while (!signal.aborted) {
        if (failing === instance) throw new Error('no');
        context.note(await log.endCursor());
        await pause(20, signal);
      }
    } finally {
      working.delete(instance);
    }
  },
};

function start(instance: string, process = noting): () => Promise<void> {
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

async function appendToAll(): Promise<void> {
  for (let i = 0, seen = new Set<number>(); seen.size < PARTITIONS; i++) {
    const commit: NewCommit = {
      ...{ id: systemSources.uuid(), stream: `intake-bot${i}`, expected: 'any', at: systemSources.now() },
      events: [{ type: 'custom_events_received', v: 1, data: { items: [] } }],
    };
    await log.append(commit);
    seen.add(log.partitionOf(`bot${i}`));
  }
}

const partitionsOf = (...instances: string[]): number[][] =>
  instances.map((instance) => [...(working.get(instance)?.partitions ?? [])].sort((a, b) => a - b));

test('each instance works on its partitions, and the positions of all are saved', async () => {
  await appendToAll();
  start('a');
  const stopB = start('b');
  await expect.poll(() => partitionsOf('a', 'b').map((own) => own.length), WAIT).toEqual([6, 6]);
  expect(new Set(partitionsOf('a', 'b').flat()).size).toBe(PARTITIONS);
  await expect.poll(() => loadPositions(database.pool, 'noting'), WAIT).toEqual(await log.endCursor());
  await appendToAll();
  await expect.poll(() => loadPositions(database.pool, 'noting'), WAIT).toEqual(await log.endCursor());

  await stopB();
  await expect.poll(() => partitionsOf('a')[0]!.length, WAIT).toBe(PARTITIONS);
  // It resumes where b has ended.
  expect(working.get('a')!.reached).toEqual(await log.endCursor());
});

test('an instance that fails shows its error, while another one continues', async () => {
  await appendToAll();
  start('a');
  start('b');
  await expect.poll(() => partitionsOf('a', 'b').map((own) => own.length), WAIT).toEqual([6, 6]);
  failing = 'b';
  const error = async (): Promise<string | null | undefined> =>
    (await projectionStatus(database.pool, log, [])).find(({ name }) => name === 'noting')?.error;
  await expect.poll(error, WAIT).toBe('instance b: no');
  await appendToAll();
  await pause(1500); // instance a saves its position in this time
  expect(await error()).toBe('instance b: no');
  failing = null;
  await expect.poll(error, WAIT).toBeNull();
});

test('a rest waits for its own partitions alone', async () => {
  await appendToAll();
  const own = new Set([log.partitionOf('bot0')]);
  const rest = createRest({ log, slowLookMs: 60_000, partitions: own });
  rest.begin();
  const end = await log.endCursor();
  const passed = new Map([...end].filter(([partition]) => own.has(partition)));
  const over = new AbortController();
  let rested = false;
  const resting = rest.rest(1, [passed], over.signal).then(() => (rested = true));
  await pause(200);
  expect(rested).toBe(false);
  over.abort();
  await resting;
});
