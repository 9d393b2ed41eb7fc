import pg from 'pg';
import { expect } from 'vitest';
import { openEmbeddedPostgres } from '../../src/database/embedded/open-embedded-postgres.ts';
import type { EventLog } from '../../src/log/port.ts';
import { servedProgress, waitForReadModels } from '../../src/projections/runtime/wait-for-read-models.ts';
import { pause } from '../../src/util/pause.ts';
import { type Administer, administer } from '../support/administer.ts';
import { temporaryDataDir } from '../support/embedded-postgres.ts';
import type { KafkaBroker } from '../support/kafka-broker.ts';
import { readModels } from '../support/read-models.ts';
import { serviceProcess } from '../support/service-process.ts';
import { deployedLog } from './deployed-log.ts';
import { FIRST_USER, type Sent, startLoad, USERS } from './load.ts';
import { QUIET, restart } from './roles.ts';
import { expectFolded, expectOnce, meetUsers, settled } from './rounds.ts';

/** Two instances of each role, an OS process each, of which one after the other is killed under load. */

const BOTS = 4;
const EVERY_MS = 5000;
/** The place of a projector in the list of instances. */
const LAST = 3;
const CAUGHT_UP_WITHIN_MS = 120_000;

interface BotOfTest {
  readonly publicKey: string;
  readonly apiKey: string;
}

/**
 * Kills one of the instances with -9 every 5 s, so many times, while clients send events, and each event of one kind earns
 * a reward. Expects that no acknowledged event is lost or stored twice, that the read models equal a replay of the log, and that
 * each event has earned once. Prints the latency of intake, and how long the rest took after the last kill.
 */
export async function crashInstances(broker: KafkaBroker, rounds: number): Promise<void> {
  const cleanup: (() => Promise<unknown>)[] = [];
  try {
    const folder = await temporaryDataDir();
    cleanup.push(() => folder.remove());
    const postgres = await openEmbeddedPostgres({ dataDir: folder.path, role: 'service', log: QUIET });
    cleanup.push(() => postgres.close());
    const pool = new pg.Pool({ connectionString: postgres.url });
    cleanup.push(() => pool.end());
    const deployed = deployedLog(postgres.url, broker, { KAFKA_PARTITIONS: '12' });
    const { env } = deployed;
    const roles = ['api', 'api', 'projector', 'projector', 'process', 'process'];
    const services = await Promise.all(roles.map((ROLE) => serviceProcess({ ...env, ROLE })));
    const output = (): string => services.map((service) => service.output()).join('\n');
    cleanup.push(() => Promise.all(services.map((service) => service.kill('SIGKILL'))));
    await Promise.all(services.map((service) => service.start()));
    const apis = services.slice(0, 2);
    await Promise.all(apis.map((api) => api.ready()));
    const log = await deployed.open();
    cleanup.push(() => log.close());

    const cli = administer(env);
    const bots = await createBots(cli);
    await Promise.all(
      bots.map(async (bot, i) => {
        await meetUsers(apis[i % 2]!.address, bot.apiKey);
        await referUsers(cli, apis[i % 2]!.address, bot);
      }),
    );
    const loads = bots.map(({ apiKey }, i) => startLoad(apis[i % 2]!.address, apiKey));
    const restarts = services.map(() => Promise.resolve());
    let killedAt = 0;
    for (let round = 0; round < rounds; round++) {
      await pause(EVERY_MS);
      // The last one is a projector.
      const victim = (services.length * rounds + LAST - (rounds - 1) + round) % services.length;
      await restarts[victim];
      killedAt = performance.now();
      restarts[victim] = restart(services[victim]!);
    }
    await expectCaughtUp(pool, log, output);
    const caughtUpMs = performance.now() - killedAt;
    await Promise.all(restarts);
    const sent = joined(await Promise.all(loads.map((load) => load.stop())));

    const commits = await settled({ pool, log, output });
    expectOnce(commits, sent);
    await expectFolded({ pool, log }, commits);
    const rewards = await expectRewardedOnce(pool);
    const { acknowledged, refused, unknown } = sent;
    console.log(
      `${rounds} times kill -9 of one of ${roles.join(', ')}: ${acknowledged.length} acknowledged, ${refused.length} refused, ` +
        `${unknown.length} of unknown outcome, ${rewards} rewards; none lost, none doubled. ` +
        `Answers: ${quantiles(sent.answersMs)}; with an Idempotency-Key ${quantiles(sent.keyedAnswersMs)}. ` +
        `Caught up ${Math.round(caughtUpMs)} ms after the last kill, of a projector, under load`,
    );
  } finally {
    for (const stop of cleanup.reverse()) await stop();
  }
}

function quantiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (q: number): number => Math.round(sorted[Math.floor(q * (sorted.length - 1))] ?? Number.NaN);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}

function joined(all: readonly Sent[]): Sent {
  return {
    acknowledged: all.flatMap(({ acknowledged }) => acknowledged),
    refused: all.flatMap(({ refused }) => refused),
    unknown: all.flatMap(({ unknown }) => unknown),
    answersMs: all.flatMap(({ answersMs }) => answersMs),
    keyedAnswersMs: all.flatMap(({ keyedAnswersMs }) => keyedAnswersMs),
  };
}

async function createBots(cli: Administer): Promise<BotOfTest[]> {
  const { owner_id } = await cli('owner', 'create', '--name', 'Ann');
  const bots: BotOfTest[] = [];
  for (let i = 0; i < BOTS; i++) {
    const { public_key } = await cli('bot', 'create', '--owner', String(owner_id), '--name', `Shop ${i}`);
    const { api_key } = await cli('key', 'issue', '--owner', String(owner_id), '--bot', public_key);
    bots.push({ publicKey: public_key, apiKey: api_key });
  }
  return bots;
}

/** The first id of a bot's event names. */
const FIRST_EVENT_ID = 101;

/** Makes user 1 the referrer of the load's users, and rewards the load's event `event_1`. */
async function referUsers(cli: Administer, address: string, { publicKey, apiKey }: BotOfTest): Promise<void> {
  const call = async (path: string, body: unknown): Promise<{ data: Record<string, unknown> }> => {
    for (;;) {
      const response = await fetch(address + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'api-key': apiKey },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as { data: Record<string, unknown> };
      if (response.status === 200) return answer;
      if (response.status !== 503) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
      await pause(200);
    }
  };
  await call('/v1/send-event', { event: 'event_1', user_id: FIRST_USER });
  await call('/v1/referral/create-code', { user_id: 1 });
  for (let i = 0; i < USERS; i++)
    await call('/v1/referral/mark-referral', { referral_user_id: FIRST_USER + i, referrer_user_id: 1 });
  const rule = ['--name', 'Each event', '--type', 'fixed', '--amount', '1'];
  await cli('rule', 'create', '--bot', publicKey, '--trigger-event-id', String(FIRST_EVENT_ID), ...rule);
}

async function expectCaughtUp(pool: pg.Pool, log: EventLog, output: () => string): Promise<void> {
  const loads = readModels.map((model) => servedProgress(pool, model, false));
  if (!(await waitForReadModels(loads, await log.endCursor(), { timeoutMs: CAUGHT_UP_WITHIN_MS })))
    throw new Error(`the read models do not catch up\n${output().slice(-20_000)}`);
}

/** Expects one accrual for each event of a referral that a rule names. @returns how many there are */
async function expectRewardedOnce(pool: pg.Pool): Promise<number> {
  const count = async (what: string): Promise<number> =>
    (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${what}`)).rows[0]!.n;
  const earning = `events_v1.rewardable_events e JOIN referral_v1.referrals f USING (bot_id, user_id)
    WHERE f.ord < e.ord AND floor(f.date / 1000.0) <= floor(e.date / 1000.0)`;
  await expect
    .poll(() => count('accounts_v1.accruals'), { timeout: CAUGHT_UP_WITHIN_MS, interval: 500 })
    .toBe(await count(earning));
  return count(earning);
}
