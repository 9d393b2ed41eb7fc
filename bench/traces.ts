import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, BatchSpanProcessor, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { EventLog } from '../src/log/port.ts';

/**
 * Processor time of a request with one event, up to an append that stores nothing: without traces, with a tracer provider that
 * keeps one trace in a hundred or all, and of another checkout (OTHER=/path), in turn in one OS process. So a busy machine
 * slows all of them alike.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 15);
const REQUESTS = 4000;
const HERE = new URL('..', import.meta.url).pathname;
const OTHER = process.env['OTHER'];

const principal = {
  keyId: 1,
  ownerId: 1,
  kind: 'personal',
  scope: { type: 'all' },
  plan: 'premium',
  currency: 'USD',
} as const;
const bot = {
  bot_id: 1,
  public_key: 'demo',
  owner_id: 1,
  name: 'Bot',
  username: null,
  timezone: 'UTC',
  separators: { pair: '_', value: '-' },
  webhook_secret_hash: '',
};

/** The app of a checkout, with the route of one event. */
async function appOf(root: string, traced: boolean): Promise<FastifyInstance> {
  const { buildApp }: typeof import('../src/api/app.ts') = await import(`${root}/src/api/app.ts`);
  const { sendEvent }: typeof import('../src/api/intake/send-event.ts') = await import(
    `${root}/src/api/intake/send-event.ts`
  );
  const { receiveCustomEvents }: typeof import('../src/commands/intake/receive.ts') = await import(
    `${root}/src/commands/intake/receive.ts`
  );
  const { encodeCommit }: typeof import('../src/log/commit-codec.ts') = await import(`${root}/src/log/commit-codec.ts`);
  const { systemSources: sources }: typeof import('../src/util/system-sources.ts') = await import(
    `${root}/src/util/system-sources.ts`
  );
  const { stubOperations }: typeof import('../test/support/stub-app.ts') = await import(
    `${root}/test/support/stub-app.ts`
  );
  const stored: Pick<EventLog, 'engine' | 'append'> = {
    engine: 'none',
    async append(commit) {
      encodeCommit(commit);
      return { position: '0:1', head: null, repeated: null };
    },
  };
  const log = traced
    ? ((await import(`${root}/src/app/compose.ts`)) as typeof import('../src/app/compose.ts')).tracedLog(
        stored as EventLog,
      )
    : (stored as EventLog);
  const directory = { resolve: async () => new Map([['Order', 101]]), goals: async () => new Map() };
  return buildApp({
    logger: pino({ level: 'silent' }),
    trustProxy: false,
    operations: stubOperations,
    api: {
      access: {
        authenticator: {
          authenticate: async () => principal,
          authenticateHash: async () => principal,
          resource: async () => bot,
          webhookBot: async () => null,
        },
        catalogReady: () => true,
        ratePerKey: 0,
        failuresPerMinute: 0,
      },
      routes: [sendEvent(receiveCustomEvents({ log, sources, directory }), async () => ({}), sources.now, null)],
      context: { log, sources },
    },
  });
}

function register(ratio: number): void {
  const exporter = {
    export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    shutdown: async () => {},
  };
  const sampler = new TraceIdRatioBasedSampler(ratio);
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ sampler, spanProcessors: [new BatchSpanProcessor(exporter)] }),
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
}

function unregister(): void {
  trace.disable();
  context.disable();
}

const request = {
  method: 'POST',
  url: '/v1/send-event',
  headers: { 'api-key': 'demo:key', 'content-type': 'application/json' },
  payload: JSON.stringify({ event: 'Order', user_id: 4242, value_num: 1000, unit: 'USD', category: 'books' }),
} as const;

/** Microseconds of processor time of a request. */
async function round(app: FastifyInstance): Promise<number> {
  const before = process.cpuUsage();
  for (let done = 0; done < REQUESTS; done += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.inject(request)));
    for (const { statusCode, body } of answers) if (statusCode !== 200) throw new Error(body);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

const off = await appOf(HERE, true);
register(1);
const on = await appOf(HERE, true);
unregister();
const cases = [
  { name: 'no tracer provider', app: off, ratio: null },
  ...(OTHER === undefined ? [] : [{ name: `other checkout`, app: await appOf(OTHER, false), ratio: null }]),
  { name: 'no tracer provider, again', app: off, ratio: null },
  { name: 'one trace in a hundred', app: on, ratio: 0.01 },
  { name: 'all traces', app: on, ratio: 1 },
].map((each) => ({ ...each, us: [] as number[] }));
for (let n = -2; n < ROUNDS; n++) {
  // Another order each round, since a round may pay for the garbage of the one before.
  const order = [...cases.slice(Math.max(0, n) % cases.length), ...cases.slice(0, Math.max(0, n) % cases.length)];
  for (const { app, ratio, us } of order) {
    if (ratio !== null) register(ratio);
    const took = await round(app);
    unregister();
    if (n >= 0) us.push(took);
  }
}
for (const { name, us } of cases) {
  us.sort((a, b) => a - b);
  const [least, median] = [us[0]!, us[us.length >> 1]!].map((each) => each.toFixed(1));
  console.log(`${name.padEnd(28)} ${median} µs a request (median of ${us.length}; least ${least})`);
}
