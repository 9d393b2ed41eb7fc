import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { startProcesses } from '../../src/app/processes.ts';
import { startProjectors } from '../../src/app/projectors.ts';
import { startService } from '../../src/app/service.ts';
import { createBot } from '../../src/commands/catalog/change-bot.ts';
import { createOwner } from '../../src/commands/catalog/change-owner.ts';
import { issueKey } from '../../src/commands/catalog/keys.ts';
import type { CommandContext } from '../../src/commands/decide-and-append.ts';
import { readConfig } from '../../src/config.ts';
import type { KeyKind } from '../../src/domain/catalog/catalog-events.ts';
import type { EventLog } from '../../src/log/port.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import { projectionStatus } from '../../src/projections/runtime/status.ts';
import { servedProgress, waitForReadModels } from '../../src/projections/runtime/wait-for-read-models.ts';
import { createChunkCache } from '../../src/queries/reports/chunk-cache.ts';
import { cellUsersFinder, reportRunner } from '../../src/queries/reports/run-report.ts';
import { createLifecycle } from '../../src/util/stop-in-order.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { inDatabase, openTestLog, type TestEngine } from './engines.ts';
import { readModels as registered } from './read-models.ts';

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
  /** A key only for this bot, personal by default. */
  readonly apiKey: string;
}

export interface TestService {
  readonly address: string;
  readonly database: TestDatabase;
  /** The environment of another instance of the service. */
  readonly env: Readonly<Record<string, string>>;
  /** A second handle on the same log, as another instance has one. */
  readonly log: EventLog;
  readonly commands: CommandContext;
  /** Sends `body` as JSON; a text is sent unchanged. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** Creates an owner, a bot and its key. Resolves when the service knows them. */
  createBot(options?: {
    plan?: 'premium' | 'free';
    kind?: KeyKind;
    timezone?: string;
    /** The bot's token of the Bot API. Without one, the bot cannot send. */
    token?: string;
  }): Promise<TestBot>;
  /** Resolves when every read model has applied all that is in the log. */
  projected(): Promise<void>;
  /** Stops the service, runs the given action, and starts the service again. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
  /**
   * Drops everything in the database except the log, or the whole database if the log is on another engine. Call it
   * only while the service is stopped.
   */
  dropDerived(): Promise<void>;
  stop(): Promise<void>;
}

/** The whole service in this process, over real HTTP, on a new database and a new log. */
export async function startTestService(
  changes: Record<string, string> = {},
  engine: TestEngine = inDatabase,
  /** The database server that the service connects to; the tests connect to the real one. */
  databaseServer?: string,
  readModels?: readonly ReadModel[],
): Promise<TestService> {
  const database = await createTestDatabase();
  const way = new URL(databaseServer ?? database.url);
  way.pathname = new URL(database.url).pathname;
  const env = {
    DATABASE_URL: way.href,
    PORT: '0',
    RATE_LIMIT_PER_KEY: '0',
    AUTH_FAILURES_PER_MINUTE: '0',
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    ...engine(`service.${randomUUID()}`),
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

  /** Connects to the database directly, also if the service connects through a proxy. */
  function openLog(): Promise<EventLog> {
    return openTestLog({ ...env, DATABASE_URL: database.url }, { mayLead: false });
  }

  async function projected(): Promise<void> {
    const head = await log.endCursor();
    for (const model of registered) {
      if (!(await waitForReadModels([servedProgress(database.pool, model)], head, { timeoutMs: 120_000 })))
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
    async dropDerived() {
      if ('EVENT_LOG' in env) return database.recreate();
      const { rows } = await database.pool.query<{ name: string }>(
        `SELECT nspname AS name FROM pg_namespace WHERE nspname NOT IN ('log', 'information_schema') AND nspname !~ '^(pg_|citus|columnar)'`,
      );
      for (const { name } of rows) await database.pool.query(`DROP SCHEMA ${name} CASCADE`);
    },
    async stop() {
      await Promise.all([running.stop(), log.close()]);
      await database.drop();
    },
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
    startProjectors: (foundation) => startProjectors(foundation, config, logger, readModels),
    startReports: ({ pool }) => ({
      run: reportRunner(pool, createChunkCache(2 ** 20)),
      findUsers: cellUsersFinder(pool, createChunkCache(2 ** 20)),
      stop: async () => {},
    }),
    startProcesses: (foundation) => startProcesses(foundation, config, logger),
    readModels,
    showDemo: () => {},
  });
  return { address, stop: () => lifecycle.stop() };
}
