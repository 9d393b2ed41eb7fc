import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { startProcesses } from '../../src/app/processes.ts';
import { runProjectors } from '../../src/app/projectors.ts';
import { startService } from '../../src/app/service.ts';
import { createBot } from '../../src/commands/catalog/create-bot.ts';
import { createOwner } from '../../src/commands/catalog/create-owner.ts';
import { issueKey } from '../../src/commands/catalog/issue-key.ts';
import type { CommandContext } from '../../src/commands/decide-and-append.ts';
import { readConfig } from '../../src/config.ts';
import { ANY_CATEGORIES } from '../../src/domain/streams.ts';
import { openEventStoreLog } from '../../src/log/eventstore/eventstore-log.ts';
import { openKafkaLog } from '../../src/log/kafka/kafka-log.ts';
import type { EventLog } from '../../src/log/port.ts';
import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import { readModels as registered } from '../../src/projections/registry.ts';
import { projectionStatus } from '../../src/projections/runtime/status.ts';
import { servedProgress, waitForReadModels } from '../../src/projections/runtime/wait-for-read-models.ts';
import { createChunkCache } from '../../src/queries/reports/chunk-cache.ts';
import { reportRunner } from '../../src/queries/reports/run-report.ts';
import { createLifecycle } from '../../src/util/lifecycle.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface TestBot {
  readonly ownerId: number;
  readonly publicKey: string;
  readonly webhookSecret: string;
  /** A personal key for this bot alone. */
  readonly apiKey: string;
}

export interface TestService {
  readonly address: string;
  readonly database: TestDatabase;
  /** The environment that another instance of it is started with. */
  readonly env: Readonly<Record<string, string>>;
  /** A second door to the same log, as another instance would have it. */
  readonly log: EventLog;
  readonly commands: CommandContext;
  /** `body` is sent as JSON, or as it is when it is text. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** An owner, a bot and a key of it, known to the service when this resolves. */
  createBot(options?: {
    plan?: 'premium' | 'free';
    kind?: 'personal' | 'service';
    timezone?: string;
    /** Of the Bot API; absent: none, so that nothing can be sent. */
    token?: string;
  }): Promise<TestBot>;
  /** Resolves when every read model has seen all that is in the log. */
  projected(): Promise<void>;
  /** Stops the service, and starts it again on what is there then; `meanwhile` runs in between. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  /** Drops all of the database but the log: with the log elsewhere, the database. Only while the service is stopped. */
  dropPicture(): Promise<void>;
  stop(): Promise<void>;
}

/** Where the log is: in the database, on a broker, or on an EventStoreDB. */
export type TestEngine = 'postgres' | { readonly kafka: readonly string[] } | { readonly eventstore: string };

const PARTITIONS = 4;

/** The whole service in this process, over real HTTP, on a database (and a topic) of its own. */
export async function startTestService(
  changes: Record<string, string> = {},
  engine: TestEngine = 'postgres',
  /** The service's own way to the database server; the tests' is the direct one. */
  databaseServer?: string,
  readModels?: readonly ReadModel[],
): Promise<TestService> {
  const database = await createTestDatabase();
  const way = new URL(databaseServer ?? database.url);
  way.pathname = new URL(database.url).pathname;
  const topic = `service.${randomUUID()}`;
  const env = {
    DATABASE_URL: way.href,
    PORT: '0',
    RATE_LIMIT_PER_KEY: '0',
    AUTH_FAILURES_PER_MINUTE: '0',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    ...engineEnv(engine, topic),
    ...changes,
  };
  let running = await startTestInstance(env, readModels);
  let log = await openLog();
  const commands: CommandContext = {
    get log() {
      return log;
    },
    sources: systemSources,
  };

  /** Straight to the database, whatever way the service takes. */
  function openLog(): Promise<EventLog> {
    const common = { connectionString: database.url, anyCategories: ANY_CATEGORIES };
    if (engine === 'postgres') return openPostgresLog(common);
    const second = { ...common, holder: randomUUID(), logger: pino({ level: 'silent' }), mayLead: false };
    if ('eventstore' in engine) return openEventStoreLog({ ...second, url: engine.eventstore, stream: topic });
    return openKafkaLog({ ...second, brokers: engine.kafka, topic, partitions: PARTITIONS });
  }

  async function projected(): Promise<void> {
    const head = await log.endCursor();
    for (const model of registered) {
      if (!(await waitForReadModels([servedProgress(database.pool, model)], head, { timeoutMs: 20_000 })))
        throw new Error(
          `the read model ${model.name} does not catch up: ${JSON.stringify({ head: [...head], is: await projectionStatus(database.pool, log, registered) })}`,
        );
    }
  }
  async function request(path: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(running.address + path, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  return {
    get address() {
      return running.address;
    },
    get log() {
      return log;
    },
    database,
    env,
    commands,
    post: (path, body, headers = {}) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path, headers = {}) => request(path, { headers }),
    async createBot({ plan = 'premium', kind = 'personal', timezone = 'UTC', token } = {}) {
      const owner = { name: 'Owner', currency: 'USD', plan, broadcastsPerMonth: 100 };
      const { ownerId } = await createOwner(commands, owner);
      const { publicKey, webhookSecret } = await createBot(commands, { ownerId, name: 'Bot', timezone, token });
      const { apiKey } = await issueKey(commands, { ownerId, bots: [publicKey], kind, name: null, expiresAt: null });
      await projected();
      return { ownerId, publicKey, webhookSecret, apiKey };
    },
    projected,
    async restart(meanwhile) {
      await Promise.all([running.stop(), log.close()]);
      try {
        await meanwhile?.();
      } finally {
        running = await startTestInstance(env, readModels);
        log = await openLog();
      }
    },
    async dropPicture() {
      if (engine !== 'postgres') return database.recreate();
      const { rows } = await database.pool.query<{ name: string }>(
        `SELECT nspname AS name FROM pg_namespace WHERE nspname NOT IN ('log', 'information_schema') AND nspname !~ '^pg_'`,
      );
      for (const { name } of rows) await database.pool.query(`DROP SCHEMA ${name} CASCADE`);
    },
    async stop() {
      await Promise.all([running.stop(), log.close()]);
      await database.drop();
    },
  };
}

/** `name` is that of its topic or stream. */
function engineEnv(engine: TestEngine, name: string): Record<string, string> {
  if (engine === 'postgres') return {};
  if ('eventstore' in engine)
    return { EVENT_LOG: 'eventstoredb', EVENTSTORE_URL: engine.eventstore, EVENTSTORE_STREAM: name };
  return {
    EVENT_LOG: 'kafka',
    KAFKA_BROKERS: engine.kafka.join(','),
    KAFKA_TOPIC: name,
    KAFKA_PARTITIONS: String(PARTITIONS),
  };
}

/** One instance in this process; resolves when it is ready. */
export async function startTestInstance(
  env: Readonly<Record<string, string>>,
  readModels: readonly ReadModel[] = registered,
): Promise<{ readonly address: string; stop(): Promise<void> }> {
  const config = readConfig(env);
  const logger = pino({ level: config.LOG_LEVEL });
  const lifecycle = createLifecycle();
  const address = await startService({
    config,
    logger,
    lifecycle,
    signal: new AbortController().signal,
    project: (foundation) => runProjectors(foundation, config, logger, readModels),
    report: ({ pool }) => ({ run: reportRunner(pool, createChunkCache(2 ** 20)), stop: async () => {} }),
    act: (foundation) => startProcesses(foundation, config, logger),
    readModels,
    invite: () => {},
  });
  return { address, stop: () => lifecycle.stop() };
}
