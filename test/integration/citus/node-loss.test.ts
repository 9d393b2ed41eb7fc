import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pause } from '../../../src/util/pause.ts';
import { type Answers, allAnswers, type FilledBots, fillService } from '../../support/all-answers.ts';
import { clusterOf } from '../../support/citus.ts';
import { startCitus } from '../../support/citus-server.ts';
import { onServerOf } from '../../support/database.ts';
import { operate } from '../../support/operate.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';
import { type TcpProxy, tcpProxy } from '../../support/tcp-proxy.ts';

/** A worker of a cluster goes away, a transaction is cut between its phases, and shards move. */

const given = await startCitus();
const nodes = given === null ? null : await clusterOf(given.url);
/** Nodes on another machine, or in containers, do not reach the proxies of this program. */
const isHere = nodes?.coordinator.host === '127.0.0.1';
if (given !== null && !isHere)
  console.warn('SKIPPED: the loss of a node, since CITUS_URL is not a cluster on 127.0.0.1');

/** How long a worker is away. */
const AWAY_MS = 20_000;
/** Citus finishes transactions every minute by default. */
const FINISHED_WITHIN_MS = 90_000;

describe.skipIf(!isHere)('on a Citus cluster', () => {
  const proxies = new Map<number, TcpProxy>();
  onServerOf(given, ({ host, port }) => ({ host, port: Number(new URL(proxies.get(port)!.url).port) }));
  let service: TestService;
  let filled: FilledBots;
  let before: Answers;
  /** Bots on the first worker and on the second. */
  let bots: readonly [TestBot, TestBot];
  /** The events that the service has accepted, by bot. */
  const accepted = new Map<string, number>();

  beforeAll(async () => {
    await connectNodes('sslmode=disable'); // so that a proxy sees the statements
    for (const { host, port } of nodes!.workers) proxies.set(port, await tcpProxy(`postgres://${host}:${port}`));
    service = await startTestService();
    filled = await fillService(service);
    const found = new Map<number, TestBot>();
    while (found.size < proxies.size) {
      const bot = await service.createBot();
      const port = await workerOf(bot);
      if (found.has(port)) continue;
      found.set(port, bot);
      expect(await send(bot, 'send-update', START)).toBe(200);
    }
    const [first, second] = [...proxies.keys()].map((port) => found.get(port)!);
    bots = [first!, second!];
    await service.projected();
    before = await allAnswers(service.address, filled);
  });
  afterAll(async () => {
    await service?.stop();
    for (const proxy of proxies.values()) await proxy.close();
    await connectNodes(null);
  });

  /** How the coordinator connects to the workers; null: as it is configured. */
  async function connectNodes(conninfo: string | null): Promise<void> {
    const client = new pg.Client({ connectionString: given!.url });
    await client.connect();
    try {
      const value = conninfo === null ? 'RESET citus.node_conninfo' : `SET citus.node_conninfo TO '${conninfo}'`;
      await client.query(`ALTER SYSTEM ${value}`);
      await client.query('SELECT pg_reload_conf()');
    } finally {
      await client.end();
    }
  }

  const from = { id: 1, is_bot: false, first_name: 'Ada' };
  const message = { message_id: 1, date: 1_700_000_000, chat: { id: 1, type: 'private' }, from, text: 'hello' };
  const START = { update: { update_id: 1, message } };

  /** The port of the worker with the rows of a bot, as the tests reach it. */
  async function workerOf({ publicKey }: TestBot): Promise<number> {
    const { rows } = await service.database.pool.query<{ port: number }>(
      `SELECT nodeport AS port FROM citus_shards
        WHERE table_name = 'users_v1.users'::regclass
          AND shardid = (SELECT get_shard_id_for_distribution_column('users_v1.users', bot_id) FROM catalog_v1.bots WHERE public_key = $1)`,
      [publicKey],
    );
    return [...proxies].find(([, { url }]) => new URL(url).port === String(rows[0]!.port))![0];
  }

  async function send({ apiKey }: TestBot, path: string, body: object): Promise<number> {
    return (await service.post(`/v1/${path}`, body, { 'api-key': apiKey })).status;
  }

  /** Sends an event. @returns the status of the answer */
  async function click(bot: TestBot): Promise<number> {
    const status = await send(bot, 'send-event', [{ event: 'click', user_id: 1 }]);
    if (status === 200) accepted.set(bot.publicKey, (accepted.get(bot.publicKey) ?? 0) + 1);
    return status;
  }

  const types = ({ apiKey }: TestBot) => service.get('/v1/reports/events', { 'api-key': apiKey });

  /**
   * Expects that nothing is missing, doubled or changed: answers, counts, and each read model against a replay of the
   * log.
   */
  async function expectAllThere(): Promise<void> {
    await expect
      .poll(() => service.projected().then(() => 'caught up', String), { timeout: 120_000 })
      .toBe('caught up');
    const { rows } = await service.database.pool.query<{ public_key: string; count: number }>(
      `SELECT public_key, count::int FROM events_v1.event_types JOIN events_v1.bots USING (bot_id) WHERE name = 'click'`,
    );
    const counts = new Map(rows.map(({ public_key, count }) => [public_key, count]));
    for (const [bot, count] of accepted) expect(counts.get(bot), bot).toBe(count);
    expect(await allAnswers(service.address, filled)).toEqual(before);
    for (const name of ['users', 'events', 'recipients']) await operate(service.env, ['projection', 'verify', name]);
  }

  it('answers of its bots fail while a worker is away, events are accepted, and all is there when it is back', async () => {
    const [here, gone] = bots;
    const proxy = proxies.get(await workerOf(gone))!;
    const seen = { intake: new Set<number>(), here: new Set<number>(), gone: new Set<number>() };
    await proxy.refuse();
    try {
      for (const end = performance.now() + AWAY_MS; performance.now() < end; await pause(500)) {
        for (const bot of bots) seen.intake.add(await click(bot));
        seen.here.add((await types(here)).status);
        seen.gone.add((await types(gone)).status);
      }
    } finally {
      await proxy.restore();
    }
    expect(seen).toEqual({ intake: new Set([200]), here: new Set([200]), gone: new Set([503]) });
    await expectAllThere();
  });

  it('a transaction that is cut between its phases is finished by Citus, and nothing is missing or doubled', async () => {
    const [bot] = bots;
    const port = await workerOf(bot);
    const cut = proxies.get(port)!.cutAt('COMMIT PREPARED');
    expect(await click(bot)).toBe(200);
    await cut;
    const prepared = async () => {
      const url = new URL(service.database.url);
      url.port = String(port);
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      try {
        return (await client.query('SELECT FROM pg_prepared_xacts WHERE database = current_database()')).rowCount;
      } finally {
        await client.end();
      }
    };
    expect(await prepared()).toBeGreaterThan(0);
    await service.restart(); // a program that begins in between finds the transaction unfinished
    expect(await click(bot)).toBe(200);
    await expect.poll(prepared, { timeout: FINISHED_WITHIN_MS, interval: 500 }).toBe(0);
    await expectAllThere();
  });

  it('shards move to another worker while events come in', async () => {
    const [bot] = bots;
    const { pool } = service.database;
    const old = await workerOf(bot);
    let going = true;
    const sending = (async () => {
      while (going) for (const each of bots) expect(await click(each)).toBe(200);
    })();
    try {
      const port = (at: number) => Number(new URL(proxies.get(at)!.url).port);
      const target = [...proxies.keys()].find((at) => at !== old)!;
      const { rows } = await pool.query<{ shardid: string }>(
        `SELECT get_shard_id_for_distribution_column('users_v1.users', bot_id) AS shardid FROM catalog_v1.bots WHERE public_key = $1`,
        [bot.publicKey],
      );
      const move = `SELECT citus_move_shard_placement($1::bigint, '127.0.0.1', $2::int, '127.0.0.1', $3::int)`;
      await pool.query(move, [rows[0]!.shardid, port(old), port(target)]);
      expect(await workerOf(bot)).toBe(target);
    } finally {
      going = false;
      await sending;
    }
    await expectAllThere();
  });
});
