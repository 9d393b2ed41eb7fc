import pg from 'pg';
import { expect } from 'vitest';
import { activateBroadcast, cancelBroadcast } from '../../src/commands/broadcast/activation.ts';
import { changeBot, createBot } from '../../src/commands/catalog/change-bot.ts';
import { createOwner } from '../../src/commands/catalog/change-owner.ts';
import type { CommandContext } from '../../src/commands/decide-and-append.ts';
import { recipientsReadModel } from '../../src/projections/recipients/read-model.ts';
import { pause } from '../../src/util/pause.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import { type BotApiProcess, botApiProcess, HALF_REFUSED } from '../support/bot-api-process.ts';
import { launch, TOKEN } from '../support/broadcasts.ts';
import type { KafkaBroker } from '../support/kafka-broker.ts';
import { firstSchema } from '../support/read-model-tables.ts';
import { type ServiceProcess, serviceProcess } from '../support/service-process.ts';
import { deployedLog } from './deployed-log.ts';
import { random } from './random.ts';

const RECIPIENTS = 5000;
const CAP = 1000;
/** A claim covers one second of sending. */
const MOST_LOST = CAP;
const WITHIN_MS = 120_000;
const POLL_MS = 20;

export interface BroadcastCrashes {
  /** The database's address. After a kill the database comes back at this address. */
  readonly databaseUrl: string;
  /** The broker that holds the log. Without it, the log is in the database. */
  readonly broker?: KafkaBroker;
  /** The number of kills while broadcasts are being sent. */
  readonly kills: number;
  /** The number of instances that send. */
  readonly senders: number;
  /** Cancels each broadcast and launches it again with another message, since half of the chats refused the first one. */
  readonly relaunch?: true;
  /** Kills PostgreSQL. Without it, only senders are killed. */
  readonly killPostgres?: () => Promise<void>;
}

/**
 * Sends to 5,000 recipients, 1,000 a second, again and again, while a sender or the database is killed with -9 at random
 * moments. No recipient is called after a call unless that was refused because of the message itself, each ends in one state,
 * and a kill costs at most one second of sending.
 */
export async function crashBroadcasts(given: BroadcastCrashes): Promise<void> {
  const { databaseUrl, senders, broker = null } = given;
  const platform = await botApiProcess();
  const services: ServiceProcess[] = [];
  const pool = new pg.Pool({ connectionString: databaseUrl });
  pool.on('error', () => {}); // the test kills the server
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
    const setup: CrashSetup = { ...given, platform, services, pool, commands: { log, sources: systemSources } };
    try {
      let killed = 0;
      for (let round = 0; killed < given.kills; round++) killed += await sendOne(setup, round, given.kills - killed);
    } finally {
      await log.close();
    }
  } finally {
    for (const service of services) await service.kill('SIGTERM');
    await pool.end();
    await platform.stop();
  }
}

interface CrashSetup extends BroadcastCrashes {
  readonly platform: BotApiProcess;
  readonly services: readonly ServiceProcess[];
  readonly pool: pg.Pool;
  readonly commands: CommandContext;
}

/** Sends one broadcast during at most `most` kills. @returns the number of kills */
async function sendOne(setup: CrashSetup, round: number, most: number): Promise<number> {
  const { commands, relaunch } = setup;
  const first = round * RECIPIENTS + 1;
  const chats = Array.from({ length: RECIPIENTS }, (_, i) => first + i);
  const bot = await aBot(commands);
  const message = { text: relaunch ? HALF_REFUSED : 'Hello' };
  const id = await launch(setup, bot, { chats, cap: CAP, message });
  let kills = 0;
  if (relaunch) {
    const of = { bot: bot.publicKey, id, ownerId: bot.ownerId };
    kills = await sendUnderKills(setup, { id, launch: 1, most: 1, kills }, () => cancelBroadcast(commands, of, {}));
    const changes = { message: { text: 'Hello' } };
    const ready = () => undefined;
    await patiently(() => activateBroadcast(commands, { ...of, changes: changes as never, ready }, {}));
  }
  kills = await sendUnderKills(setup, { id, launch: relaunch ? 2 : 1, most, kills });
  await expectOnce(setup, id, chats, kills);
  return kills;
}

interface Launch {
  readonly id: number;
  readonly launch: number;
  readonly most: number;
  /** Kills in earlier launches. */
  readonly kills: number;
}

/** Waits for the end of a launch. @param cancel called once sending resumes after the last kill @returns how many kills there were */
async function sendUnderKills(
  setup: CrashSetup,
  { id, launch, most, kills }: Launch,
  cancel?: () => Promise<unknown>,
): Promise<number> {
  const { platform } = setup;
  const isOver = async () => hasEnded(await statusOf(setup, id, launch));
  let isCancelled = false;
  for (let calls = (await platform.arrivals()).length; ; ) {
    const now = (await platform.arrivals()).length;
    if (await isOver()) return kills;
    if (now === calls || kills >= most) {
      if (now > calls && cancel !== undefined && !isCancelled) {
        await patiently(cancel);
        isCancelled = true;
      }
      await pause(POLL_MS);
      continue;
    }
    // The launch is sending: kills at a random moment.
    await pause(random() * 900);
    if (await isOver()) return kills;
    await killOne(setup, kills++);
    calls = (await platform.arrivals()).length;
  }
}

async function killOne({ services, killPostgres }: CrashSetup, n: number): Promise<void> {
  if (killPostgres !== undefined && n % 2 === 1) return killPostgres();
  const service = services[n % services.length]!;
  await service.kill('SIGKILL');
  await service.start();
}

async function expectOnce(setup: CrashSetup, id: number, chats: readonly number[], kills: number): Promise<void> {
  const { platform, pool } = setup;
  /** By chat, for each call: whether the platform refused the message itself. */
  const called = new Map<number, boolean[]>();
  for (const [, chat, , , refused] of await platform.arrivals())
    called.set(chat, [...(called.get(chat) ?? []), refused]);
  const callsOf = (chat: number) => called.get(chat) ?? [];
  const twice = chats.filter((chat) => callsOf(chat).slice(0, -1).includes(false));
  expect(twice, 'called again after a call that was not refused').toEqual([]);
  const again = chats.filter((chat) => callsOf(chat).length > 1);
  expect(again.length > 0, 'called again after a call that was refused').toBe(setup.relaunch === true);
  expect(chats.filter((chat) => callsOf(chat).length > 2)).toEqual([]);

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
  console.log(
    `${kills} kills: ${delivered} delivered, ${unknown} unknown, ${again.length} called again, after a refusal`,
  );
}

/** @returns null if the read model does not have the activation of this launch yet */
async function statusOf({ pool }: CrashSetup, id: number, launch: number): Promise<number | null | undefined> {
  const table = `${firstSchema(recipientsReadModel)}.sendings`;
  const text = `SELECT CASE WHEN launch = $2 THEN status END AS status FROM ${table} WHERE broadcast_id = $1`;
  const { rows } = await patiently(() => pool.query<{ status: number | null }>(text, [id, launch]));
  return rows[0]?.status;
}

/** Repeats a call while it fails, since the server was killed or the table does not exist yet. */
async function patiently<T>(what: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    try {
      return await what();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(100);
    }
  }
}

const hasEnded = (status: number | null | undefined): boolean => status === 3 || status === 4 || status === 5;

/** A new bot for each broadcast, so that no broadcast waits for the limits of another. */
async function aBot(commands: CommandContext): Promise<{ publicKey: string; ownerId: number }> {
  const profile = { name: 'Ann', currency: 'USD', plan: 'premium', broadcastsPerMonth: 100 } as const;
  const { ownerId } = await createOwner(commands, profile);
  const { publicKey } = await createBot(commands, { ownerId, name: 'Bot', token: TOKEN });
  await changeBot(commands, publicKey, { paid_broadcasts: true });
  return { publicKey, ownerId };
}
