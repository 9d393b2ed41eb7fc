import pg from 'pg';
import { expect } from 'vitest';
import { changeBot } from '../../src/commands/change-bot.ts';
import { createBot } from '../../src/commands/create-bot.ts';
import { createOwner } from '../../src/commands/create-owner.ts';
import type { CommandContext } from '../../src/commands/handle.ts';
import { pause } from '../../src/pause.ts';
import { recipientsReadModel } from '../../src/projections/recipients/read-model.ts';
import { systemSources } from '../../src/system-sources.ts';
import { type BotApiProcess, botApiProcess } from '../support/bot-api-process.ts';
import { launch, TOKEN } from '../support/broadcasts.ts';
import type { KafkaBroker } from '../support/kafka-broker.ts';
import { firstSchema } from '../support/read-model-tables.ts';
import { type ServiceProcess, serviceProcess } from '../support/service-process.ts';
import { deployedLog } from './deployed-log.ts';

const RECIPIENTS = 5000;
const CAP = 1000;
/** A claim covers one second of sending. */
const MOST_LOST = CAP;
const WITHIN_MS = 120_000;
const POLL_MS = 20;

export interface BroadcastCrashes {
  /** The database's address; it comes back there when it was killed. */
  readonly databaseUrl: string;
  /** Has the log; absent: it is in the database. */
  readonly broker?: KafkaBroker;
  /** How often something is killed while a broadcast is being sent. */
  readonly kills: number;
  /** Instances that send. */
  readonly senders: number;
  /** Kills PostgreSQL; absent: only senders are killed. */
  readonly killPostgres?: () => Promise<void>;
}

/**
 * Sends to 5,000 recipients, 1,000 a second, again and again, while a sender or the database is killed with -9 at random
 * moments: nobody is called twice, everybody ends in one state, and a kill costs at most one second of sending.
 */
export async function crashBroadcasts(given: BroadcastCrashes): Promise<void> {
  const { databaseUrl, senders, broker = null } = given;
  const platform = await botApiProcess();
  const services: ServiceProcess[] = [];
  const pool = new pg.Pool({ connectionString: databaseUrl });
  pool.on('error', () => {}); // the server is killed under it
  const deployed = deployedLog(databaseUrl, broker);
  try {
    for (let n = 0; n < senders; n++) {
      const service = await serviceProcess({
        ...deployed.env,
        TELEGRAM_API_ROOT: platform.root,
        LOG_LEVEL: 'info',
        ROLE: n === 0 ? 'all' : 'process',
      });
      services.push(service);
      await service.start();
    }
    const log = await deployed.open();
    const world: World = { ...given, platform, services, pool, commands: { log, sources: systemSources } };
    try {
      let killed = 0;
      for (let round = 0; killed < given.kills; round++) killed += await sendOne(world, round, given.kills - killed);
    } finally {
      await log.close();
    }
  } finally {
    for (const service of services) await service.kill('SIGTERM');
    await pool.end();
    await platform.stop();
  }
}

interface World extends BroadcastCrashes {
  readonly platform: BotApiProcess;
  readonly services: readonly ServiceProcess[];
  readonly pool: pg.Pool;
  readonly commands: CommandContext;
}

/** Sends one broadcast while something is killed, at most `most` times. @returns how often */
async function sendOne(world: World, round: number, most: number): Promise<number> {
  const { platform } = world;
  const first = round * RECIPIENTS + 1;
  const chats = Array.from({ length: RECIPIENTS }, (_, i) => first + i);
  const id = await launch(world, await aBot(world.commands), { chats, cap: CAP });
  let kills = 0;
  for (let calls = 0; ; ) {
    const now = (await platform.arrivals()).length;
    if (hasEnded(await statusOf(world, id))) break;
    if (now === calls || kills === most) {
      await pause(POLL_MS);
      continue;
    }
    // It is sending: a random moment later it is not.
    await pause(Math.random() * 900);
    if (hasEnded(await statusOf(world, id))) break;
    await killOne(world, kills++);
    calls = (await platform.arrivals()).length;
  }
  await expectOnce(world, id, chats, kills);
  return kills;
}

async function killOne({ services, killPostgres }: World, n: number): Promise<void> {
  if (killPostgres !== undefined && n % 2 === 1) return killPostgres();
  const service = services[n % services.length]!;
  await service.kill('SIGKILL');
  await service.start();
}

async function expectOnce(world: World, id: number, chats: readonly number[], kills: number): Promise<void> {
  const { platform, pool } = world;
  const called = new Map<number, number>();
  for (const [, chat] of await platform.arrivals()) called.set(chat, (called.get(chat) ?? 0) + 1);
  const twice = chats.filter((chat) => (called.get(chat) ?? 0) > 1);
  expect(twice, 'called more than once').toEqual([]);

  const schema = firstSchema(recipientsReadModel);
  const { rows } = await pool.query<{ chat: number; state: number }>(
    `SELECT chat_id::float8 AS chat, state FROM ${schema}.recipients WHERE broadcast_id = $1`,
    [id],
  );
  expect(rows).toHaveLength(chats.length);
  const inState = (state: number) => rows.filter((row) => row.state === state).map(({ chat }) => chat);
  expect(
    inState(2).filter((chat) => !called.has(chat)),
    'delivered, and never called',
  ).toEqual([]);
  const [delivered, refused, unknown] = [2, 3, 4].map((state) => inState(state).length);
  expect(delivered! + unknown!, 'neither delivered nor unknown').toBe(chats.length);
  expect(unknown).toBeLessThanOrEqual(kills * MOST_LOST);
  const { rows: counts } = await pool.query(
    `SELECT status, count_recipients, count_delivered, count_not_delivered, count_unknown
       FROM ${schema}.sendings WHERE broadcast_id = $1`,
    [id],
  );
  expect(counts).toEqual([
    {
      status: 3,
      count_recipients: chats.length,
      count_delivered: delivered,
      count_not_delivered: refused! + unknown!,
      count_unknown: unknown,
    },
  ]);
  console.log(`${kills} kills: ${delivered} delivered, ${unknown} unknown, nobody called twice`);
}

async function statusOf({ pool }: World, id: number): Promise<number | undefined> {
  const text = `SELECT status FROM ${firstSchema(recipientsReadModel)}.sendings WHERE broadcast_id = $1`;
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    try {
      const { rows } = await pool.query<{ status: number }>(text, [id]);
      return rows[0]?.status;
    } catch (error) {
      // The server was killed, or there is no such table yet.
      if (performance.now() > deadline) throw error;
      await pause(100);
    }
  }
}

const hasEnded = (status: number | undefined): boolean => status === 3 || status === 4 || status === 5;

/** A bot of its own for each: none has to wait for another's limits. */
async function aBot(commands: CommandContext): Promise<{ publicKey: string; ownerId: number }> {
  const profile = { name: 'Ann', currency: 'USD', plan: 'premium', broadcastsPerMonth: 100 } as const;
  const { ownerId } = await createOwner(commands, profile);
  const { publicKey } = await createBot(commands, { ownerId, name: 'Bot', token: TOKEN });
  await changeBot(commands, publicKey, { paid_broadcasts: true });
  return { publicKey, ownerId };
}
