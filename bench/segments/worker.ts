import pg from 'pg';
import type { LedgerEvent } from '../../src/domain/ledger-events.ts';
import { parseReport } from '../../src/domain/reports/parse-report.ts';
import { eventsReadModel as rowsReadModel } from '../../src/projections/events/read-model.ts';
import type { ReadCommit, ReadModel } from '../../src/projections/read-model.ts';
import { usersReadModel } from '../../src/projections/users/read-model.ts';
import { createChunkCache } from '../../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../../src/queries/reports/run-report.ts';
import { eventsReadModel as segmentsReadModel } from './read-model.ts';
import { customItem, DAY_MS, updateItem, type Workload } from './workload.ts';

/** One side of the comparison: applies commits as a projector does, and runs reports. It measures its own processor time. */

/** A task from the parent; the answer has the same `task`. */
export type Task =
  | ({ readonly task: 'open'; readonly url: string } & Workload)
  | { readonly task: 'apply'; readonly commits: number; readonly perCommit: number; readonly behind: boolean }
  | { readonly task: 'settle' }
  | { readonly task: 'rates'; readonly days: number }
  | { readonly task: 'report'; readonly config: unknown; readonly runs: number };

export interface Done {
  /** Milliseconds: elapsed, and of processor time in this OS process. */
  readonly ms: number;
  readonly cpuMs: number;
  readonly events: number;
  /** The backend of the projector. */
  readonly backend: number;
  readonly memoryMb: number;
  /** Of a report: columns and rows. */
  readonly answer?: unknown;
}

const model: ReadModel = process.env['SEGMENTS_SIDE'] === 'segments' ? segmentsReadModel : rowsReadModel;
const MAX_COMMITS = 1000;
const MAX_ITEMS = 15_000;

let client: pg.Client;
let pool: pg.Pool;
let workload: Workload;
let backend = 0;
let ordinal = 0;
let sent = 0;
let spent = { ms: 0, cpuMs: 0 };

function commit(stream: string, at: number, event: LedgerEvent): ReadCommit {
  ordinal++;
  const id = `00000000-0000-4000-8000-${ordinal.toString(16).padStart(12, '0')}`;
  const position = `0:${String(ordinal).padStart(15, '0')}`;
  return { id, stream, ordinal, at, position, revision: null, prev: null, hash: null, events: [event] };
}

async function measured(work: () => Promise<void>): Promise<void> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  spent = { ms: spent.ms + performance.now() - began, cpuMs: spent.cpuMs + (user + system) / 1000 };
}

async function inSchema<T>(schema: string, work: () => Promise<T>): Promise<T> {
  await client.query(`BEGIN; SET LOCAL synchronous_commit TO off; SET LOCAL search_path TO ${schema}`);
  const done = await work();
  await client.query('COMMIT');
  return done;
}

/** A slice of deferred work, if there is some, as the runtime does it after each batch. @returns whether there is more */
async function slice(behind: boolean): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM events_v1.put_off LIMIT 1');
  return rowCount !== 0 && inSchema('events_v1', () => model.idle!(client, behind));
}

async function applyToAll(commits: readonly ReadCommit[]): Promise<void> {
  for (const each of [model, usersReadModel]) {
    const wanted = commits.filter(({ stream }) => each.categories.includes(stream.slice(0, stream.indexOf('-'))));
    await inSchema(`${each.name}_v1`, () => each.apply(client, wanted));
  }
}

async function open({ url, ...work }: Extract<Task, { task: 'open' }>): Promise<void> {
  workload = work;
  client = new pg.Client({ connectionString: url });
  pool = new pg.Pool({ connectionString: url, max: 2 });
  await client.connect();
  backend = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;
  for (const each of [model, usersReadModel])
    await client.query(`CREATE SCHEMA ${each.name}_v1; SET search_path TO ${each.name}_v1; ${each.ddl}`);
  const { from, users, prologue } = work;
  await applyToAll(prologue.map(([stream, event]) => commit(stream, from - 10 * DAY_MS, event)));
  for (let id = 1; id <= users; id += 500) {
    const items = Array.from({ length: Math.min(500, users - id + 1) }, (_, i) => updateItem(id + i, from));
    await applyToAll([
      commit('intake-a', from, { type: 'updates_received', data: { items } } as unknown as LedgerEvent),
    ]);
  }
}

/** Applies the next commits in batches as the runtime cuts them. Making the commits is not measured. */
async function apply({ commits, perCommit, behind }: Extract<Task, { task: 'apply' }>): Promise<void> {
  const { from, to, events } = workload;
  for (let made = 0; made < commits; ) {
    const batch: ReadCommit[] = [];
    for (let items = 0; made < commits && batch.length < MAX_COMMITS && items < MAX_ITEMS; made++) {
      const at = from + Math.floor((sent / events) * (to - from));
      const list = Array.from({ length: perCommit }, () => customItem(workload, sent++));
      items += perCommit;
      batch.push(
        commit('intake-a', at, { type: 'custom_events_received', data: { items: list } } as unknown as LedgerEvent),
      );
    }
    await measured(async () => {
      await inSchema('events_v1', () => model.apply(client, batch));
      await slice(behind);
    });
  }
}

async function rates(days: number): Promise<void> {
  const set = ['EUR', 'GBP'].flatMap((from, u) =>
    Array.from({ length: days }, (_, day) => {
      const rate = (1.1 + u / 10 + (1 + (day % 17)) / 1000).toFixed(4);
      const date = new Date(workload.from + day * DAY_MS).toISOString().slice(0, 10);
      return commit('fx-global', workload.to, { type: 'exchange_rate_set', data: { from, to: 'USD', rate, date } });
    }),
  );
  await inSchema('events_v1', () => model.apply(client, set));
}

let run: ReturnType<typeof reportRunner> | undefined;

async function report({ config, runs }: Extract<Task, { task: 'report' }>): Promise<unknown> {
  run ??= reportRunner(pool, createChunkCache(2 ** 28));
  const parsed = parseReport(config, 'UTC');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const tables = { events: 'events_v1', users: 'users_v1', referral: 'referral_v1' };
  let answer: unknown;
  for (let i = 0; i < runs; i++)
    await measured(async () => {
      const { columns, rows } = await run!({
        tables,
        botId: 1,
        parsed,
        now: workload.to,
        lagMs: 0,
        timeoutMs: 300_000,
        limit: 100_000,
      });
      answer = [columns, rows];
    });
  return answer;
}

process.on('message', async (task: Task) => {
  const before = sent;
  spent = { ms: 0, cpuMs: 0 };
  let answer: unknown;
  if (task.task === 'open') await open(task);
  if (task.task === 'apply') await apply(task);
  if (task.task === 'settle')
    await measured(async () => {
      while (await slice(false));
    });
  if (task.task === 'rates') await measured(() => rates(task.days));
  if (task.task === 'report') answer = await report(task);
  process.send!({
    ...spent,
    events: sent - before,
    backend,
    memoryMb: process.memoryUsage().rss / 2 ** 20,
    answer,
  } satisfies Done);
});
