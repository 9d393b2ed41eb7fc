import pg from 'pg';
import { changeBot, createBot } from '../src/commands/catalog/change-bot.ts';
import { createOwner } from '../src/commands/catalog/change-owner.ts';
import { ANY_CATEGORIES } from '../src/domain/streams.ts';
import { openPostgresLog } from '../src/log/postgres/postgres-log.ts';
import { createBotApi } from '../src/platform/bot-api.ts';
import { schemaOf } from '../src/projections/read-model.ts';
import { recipientsReadModel } from '../src/projections/recipients/read-model.ts';
import { systemSources } from '../src/util/system-sources.ts';
import { botApiProcess } from '../test/support/bot-api-process.ts';
import { launch } from '../test/support/broadcasts.ts';
import { childrenOf, parentOf, processorSeconds, residentMb } from './proc.ts';
import { startBenchService } from './service.ts';

/**
 * Broadcasts, end to end. First BOTS bots (100) send to EACH recipients as fast as they can, compared with a bare loop of
 * the same client to the same stand-in. The rate is measured over the whole time and while all bots are sending, since
 * launching a hundred takes some seconds. Then one broadcast to RECIPIENTS, for its memory, events and rows. A count of 0
 * skips a part.
 */
const BOTS = Number(process.env['BOTS'] ?? 100);
const EACH = Number(process.env['EACH'] ?? 3000);
const RECIPIENTS = Number(process.env['RECIPIENTS'] ?? 100_000);
const CAP = 1000;
const IN_FLIGHT = 256;
const TOKEN = '123:token';
const READ_MODEL = schemaOf(recipientsReadModel.name, 1);

const platform = await botApiProcess();
const service = await startBenchService({ TELEGRAM_API_ROOT: platform.root });
const pool = new pg.Pool({ connectionString: service.databaseUrl });
const log = await openPostgresLog({ connectionString: service.databaseUrl, anyCategories: ANY_CATEGORIES });
const commands = { log, sources: systemSources };
const serverPid = await databaseServer();
try {
  await readModelExists();
  if (BOTS > 0) await besideBareLoop();
  if (RECIPIENTS > 0) await oneBroadcast();
} finally {
  await log.close();
  await pool.end();
  await service.stop();
  await platform.stop();
}

async function besideBareLoop(): Promise<void> {
  const before = await bareLoop(BOTS * EACH);
  const own = await manyBots();
  const after = await bareLoop(BOTS * EACH);
  const floor = (before + after) / 2;
  console.log(`bare loop of the client: ${before.toFixed(0)} and ${after.toFixed(0)} messages/s`);
  const beside = (rate: number): string => `${rate.toFixed(0)} messages/s, ratio ${(rate / floor).toFixed(2)}`;
  console.log(
    `${BOTS} bots at a cap of ${CAP}: ${beside(own.together)} (target 0.6); from the first message to the last ${beside(own.overall)}`,
  );
}

/** Messages per second, with IN_FLIGHT calls at once. */
async function bareLoop(messages: number): Promise<number> {
  const api = createBotApi({ root: platform.root, connections: IN_FLIGHT });
  const started = performance.now();
  const cpu = process.cpuUsage();
  let next = 1;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next <= messages) await api.call(TOKEN, 'sendMessage', { chat_id: next++, text: 'Hello' });
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  console.log(`processor time of the bare loop: ${((user + system) / messages).toFixed(0)} µs a message`);
  await api.close();
  return messages / seconds;
}

async function aBot(token = TOKEN): Promise<{ publicKey: string; ownerId: number }> {
  const profile = { name: 'Ann', currency: 'USD', plan: 'premium', broadcastsPerMonth: 1000 } as const;
  const { ownerId } = await createOwner(commands, profile);
  const { publicKey } = await createBot(commands, { ownerId, name: 'Bot', token });
  await changeBot(commands, publicKey, { paid_broadcasts: true });
  return { publicKey, ownerId };
}

function chats(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1);
}

/** Messages per second by the stand-in's clock: between the first and the last, and while all bots were sending. */
async function manyBots(): Promise<{ readonly overall: number; readonly together: number }> {
  const known = (await platform.arrivals()).length;
  const ids: number[] = [];
  const bots = [];
  for (let n = 0; n < BOTS; n++) bots.push(await aBot(`${1000 + n}:token`));
  const cpu0 = await cpuSeconds();
  for (const bot of bots) ids.push(await launch({ commands }, bot, { chats: chats(EACH), cap: CAP }));
  await ended(ids);
  const cpu = (await cpuSeconds()) - cpu0;
  const arrivals = (await platform.arrivals()).slice(known);
  console.log(
    `processor time of the service and its database: ${((cpu * 1e6) / (BOTS * EACH)).toFixed(0)} µs a message`,
  );
  if (arrivals.length !== BOTS * EACH) throw new Error(`${arrivals.length} calls instead of ${BOTS * EACH}`);
  const [first, last] = [new Map<string, number>(), new Map<string, number>()];
  for (const [at, , , token] of arrivals) {
    if (!first.has(token)) first.set(token, at);
    last.set(token, at);
  }
  const between = (from: number, to: number): number =>
    (arrivals.filter(([at]) => at >= from && at < to).length * 1000) / (to - from);
  return {
    overall: between(Math.min(...first.values()), Math.max(...last.values())),
    together: between(Math.max(...first.values()), Math.min(...last.values())),
  };
}

async function oneBroadcast(): Promise<void> {
  const pid = service.process.pid!;
  const idle = await residentMb(pid);
  const bot = await aBot();
  const [log0, tables0, cpu0] = [await logSize(), await tableBytes(), await cpuSeconds()];
  const known = (await platform.arrivals()).length;
  const id = await launch({ commands }, bot, { chats: chats(RECIPIENTS), cap: CAP });
  let peak = 0;
  const watching = setInterval(() => void residentMb(pid).then((mb) => (peak = Math.max(peak, mb))), 1000);
  await ended([id]);
  clearInterval(watching);
  const [log1, tables1, cpu1] = [await logSize(), await tableBytes(), await cpuSeconds()];
  const times = (await platform.arrivals()).slice(known).map(([at]) => at);
  if (times.length !== RECIPIENTS) throw new Error(`${times.length} calls instead of ${RECIPIENTS}`);
  const seconds = (times.at(-1)! - times[0]!) / 1000;
  const each = (all: number, digits: number): string => (all / RECIPIENTS).toFixed(digits);
  console.log(`one broadcast to ${RECIPIENTS}: ${(RECIPIENTS / seconds).toFixed(0)} messages/s of a cap of ${CAP}`);
  console.log(`memory of the service: ${idle.toFixed(0)} MB before, at most ${peak.toFixed(0)} MB`);
  console.log(
    `per recipient: ${each((cpu1 - cpu0) * 1e6, 0)} µs of processor time, ${each(log1.events - log0.events, 3)} events, ${each(log1.bytes - log0.bytes, 1)} bytes of log, ${each(await rows(id), 0)} row, ${each(tables1 - tables0, 0)} bytes of it`,
  );
}

/** The service is ready before its projectors have created their tables. */
async function readModelExists(): Promise<void> {
  const text = `SELECT to_regclass('${READ_MODEL}.sendings') IS NOT NULL AS exists`;
  while (!(await pool.query<{ exists: boolean }>(text)).rows[0]!.exists)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

async function rows(id: number): Promise<number> {
  const text = `SELECT count(*)::float8 AS count FROM ${READ_MODEL}.recipients WHERE broadcast_id = $1 AND state = 2`;
  return (await pool.query<{ count: number }>(text, [id])).rows[0]!.count;
}

async function ended(ids: readonly number[]): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${READ_MODEL}.sendings WHERE broadcast_id = ANY ($1::bigint[]) AND status = 3`,
      [ids],
    );
    if (rows[0]!.count === ids.length) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function logSize(): Promise<{ events: number; bytes: number }> {
  const { rows } = await pool.query<{ events: number; bytes: number }>(
    `SELECT coalesce(sum(jsonb_array_length((body::jsonb)->'events')), 0)::float8 AS events, coalesce(sum(length(body)), 0)::float8 AS bytes
       FROM log.commits WHERE stream ~ '^(sending|audience)-'`,
  );
  return rows[0]!;
}

async function tableBytes(): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `SELECT pg_total_relation_size('${READ_MODEL}.recipients')::float8 AS bytes`,
  );
  return rows[0]!.bytes;
}

/** The OS process that is the parent of all processes of the database. */
async function databaseServer(): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return (await parentOf(rows[0]!.pid))!;
}

/** Processor time of the service and its database, in seconds. */
async function cpuSeconds(): Promise<number> {
  return processorSeconds([service.process.pid!, serverPid, ...(await childrenOf(serverPid))]);
}
