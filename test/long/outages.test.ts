import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createGoal } from '../../src/commands/catalog/create-goal.ts';
import { FRESH_MS } from '../../src/database/fresh-cache.ts';
import { pause } from '../../src/util/pause.ts';
import { inDatabase, type TestEngine } from '../support/engines.ts';
import { startKafkaBroker } from '../support/kafka-broker.ts';
import { readAll } from '../support/log.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../support/service.ts';
import { type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';

/** The service's answers while the database or the broker is down or silent. Every wait is bounded. */
const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

const MAX_WAIT_MS = 1000;
/** Time for everything except the wait, on a busy machine. */
const SLACK_MS = 4000;
/** Time to parse 96 MiB of JSON on a busy machine. */
const PARSING_MS = 40_000;

interface Timed extends Answer {
  readonly ms: number;
}

/** A service that connects to the database through a proxy. */
interface Installation {
  readonly service: TestService;
  readonly proxy: TcpProxy;
  readonly bot: TestBot;
  ask(path: string, body?: unknown, headers?: Record<string, string>): Promise<Timed>;
  stop(): Promise<void>;
}

async function install(engine: TestEngine, maxWaitMs = MAX_WAIT_MS): Promise<Installation> {
  const proxy = await tcpProxy(inject('databaseUrl'));
  const service = await startTestService(
    { MAX_WAIT_MS: String(maxWaitMs), REPORT_TIMEOUT_MS: '500' },
    engine,
    proxy.url,
  );
  const bot = await service.createBot();
  await createGoal(service.commands, { bot: bot.publicKey, targetId: 5, name: 'Sign-up' });
  return {
    service,
    proxy,
    bot,
    async ask(path, body, headers = {}) {
      const key = { 'api-key': bot.apiKey, ...headers };
      const started = performance.now();
      const answer = body === undefined ? await service.get(path, key) : await service.post(path, body, key);
      return { ...answer, ms: performance.now() - started };
    },
    async stop() {
      await proxy.restore();
      await service.stop();
      await proxy.close();
    },
  };
}

const message = (update_id: number): object => ({
  update_id,
  message: {
    message_id: 1,
    date: 1_767_225_600,
    chat: { id: 1, type: 'private' },
    from: { id: 1, is_bot: false, first_name: 'A' },
  },
});

/** Intake requests that need no look-up after the first one. The tests send each once before an outage. */
function known({ ask, bot }: Installation): Record<string, (n: number) => Promise<Timed>> {
  const webhook = { 'api-key': '', 'x-telegram-bot-api-secret-token': bot.webhookSecret };
  return {
    'a known name': (n) => ask('/v1/send-event', { event: 'known', user_id: n }),
    'a known target': (n) => ask('/v1/send-target', { target_id: 5, user_id: n }),
    'an update': (n) => ask('/v1/send-update', { update: message(n) }),
    'the webhook': (n) => ask(`/v1/webhook/${bot.publicKey}`, message(1000 + n), webhook),
  };
}

let newNames = 0;

/** Requests that need the database. */
function unknown({ ask }: Installation): Record<string, () => Promise<Timed>> {
  const event = { event: 'known', user_id: 1 };
  return {
    'a new name': () => ask('/v1/send-event', { event: `new ${++newNames}`, user_id: 1 }),
    'an unknown target': () => ask('/v1/send-target', { target_id: 99, user_id: 1 }),
    'an Idempotency-Key': () => ask('/v1/send-event', event, { 'idempotency-key': 'k' }),
    'a key never seen': () => ask('/v1/send-event', event, { 'api-key': `unknown:${'x'.repeat(43)}` }),
    'a bot never seen': () => ask('/v1/send-event', event, { 'resource-key': 'b'.repeat(16) }),
    'bot errors': () => ask('/v1/bot-errors'),
    'a list': () => ask('/v1/reports/events'),
    resources: () => ask('/v1/reports/resources'),
  };
}

async function warmUp(installation: Installation): Promise<void> {
  for (const [what, send] of Object.entries(known(installation))) expect((await send(1)).status, what).toBe(200);
  // After this pause every cached value is loaded again or known to be stale.
  await pause(FRESH_MS + 50);
}

function expectUnavailable(answers: Readonly<Record<string, Timed>>, slackMs = SLACK_MS): void {
  for (const [what, { status, body, headers, ms }] of Object.entries(answers)) {
    expect([what, status, body.error_code, headers.get('retry-after')]).toEqual([what, 503, 503, '1']);
    expect(ms, what).toBeLessThan(MAX_WAIT_MS + slackMs);
  }
}

async function all<T>(questions: Readonly<Record<string, () => Promise<T>>>): Promise<Record<string, T>> {
  const given = await Promise.all(Object.entries(questions).map(async ([what, ask]) => [what, await ask()] as const));
  return Object.fromEntries(given);
}

const outages: [string, (proxy: TcpProxy) => void | Promise<void>][] = [
  ['is down', (proxy) => proxy.refuse()],
  ['does not answer', (proxy) => proxy.freeze()],
];

describe.skipIf(broker === null)('with the log on Kafka', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await install(broker!.env);
  });
  afterAll(() => installation.stop());

  const intake = async () => (await readAll(installation.service.log, { categories: ['intake'] })).length;

  describe.each(outages)('while the database %s', (_, breakDown) => {
    let before: number;
    beforeAll(async () => {
      await warmUp(installation);
      before = await intake();
      await breakDown(installation.proxy);
    });

    test('intake that needs no look-up is served', async () => {
      for (let n = 2; n < 5; n++) {
        for (const [what, send] of Object.entries(known(installation))) {
          const { status, ms } = await send(n);
          expect([what, status]).toEqual([what, 200]);
          expect(ms, what).toBeLessThan(MAX_WAIT_MS + SLACK_MS);
        }
      }
    });

    test('every other request gets 503 within the bounded wait, while intake continues', async () => {
      const asking = all(unknown(installation));
      const { status } = await known(installation)['a known name']!(5);
      expect(status).toBe(200);
      expectUnavailable(await asking);
    });

    test('the service is not ready, but alive', async () => {
      expect((await installation.ask('/ready')).status).toBe(503);
      expect((await installation.ask('/health')).status).toBe(200);
    });

    test('after the outage every request is served, and each accepted event is stored once', async () => {
      await installation.proxy.restore();
      const { ask, service } = installation;
      await expect
        .poll(async () => (await ask('/v1/send-event', { event: 'back', user_id: 1 })).status, PATIENT)
        .toBe(200);
      await service.projected();
      // For up to a second, values that were cached during the outage are stale.
      await expect.poll(async () => (await ask('/v1/reports/events')).status, PATIENT).toBe(200);
      expect((await intake()) - before).toBeGreaterThanOrEqual(3 * 4 + 2);
    });
  });
});

const PATIENT = { timeout: 20_000, interval: 100 };

describe('with the log in the database', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await install(inDatabase);
  });
  afterAll(() => installation.stop());

  test.each(outages)(
    'every request is refused within the bounded wait while the database %s, and served afterwards',
    async (_, breakDown) => {
      await warmUp(installation);
      const { ask, proxy } = installation;
      await breakDown(proxy);
      const intake = Object.fromEntries(
        Object.entries(known(installation)).map(([what, send]) => [what, () => send(2)]),
      );
      expectUnavailable(await all(unknown(installation)));
      // Requests on a connection that then became silent may have arrived.
      const answers = await all(intake);
      for (const [what, { status, ms }] of Object.entries(answers)) {
        expect([500, 503], what).toContain(status);
        expect(ms, what).toBeLessThan(MAX_WAIT_MS + SLACK_MS);
      }
      await proxy.restore();
      await expect
        .poll(async () => (await ask('/v1/send-event', { event: 'back', user_id: 1 })).status, PATIENT)
        .toBe(200);
    },
  );

  test('requests beyond the limit of waiting ones are refused at once, and accepted again after the outage', async () => {
    // Long enough that all requests wait together, also if parsing is slow.
    const patient = await install(inDatabase, 8000);
    onTestFinished(() => patient.stop());
    const { ask, proxy } = patient;
    expect((await ask('/v1/send-event', { event: 'known', user_id: 1 })).status).toBe(200);
    await proxy.refuse();
    const pad = 'x'.repeat(4 << 10);
    const large = Array.from({ length: 1000 }, (_, i) => ({ event: 'known', user_id: i + 1, pad }));
    const body = JSON.stringify(large);
    // 96 MiB of bodies.
    const answers = await Promise.all(Array.from({ length: 24 }, () => ask('/v1/send-event', body)));
    expectUnavailable(Object.fromEntries(answers.map((answer, n) => [`large ${n}`, answer])), PARSING_MS);
    const refusals = answers.filter(({ body: { error } }) => /^the requests of this owner that wait/.test(error));
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals.length).toBeLessThan(answers.length);
    await proxy.restore();
    await expect.poll(async () => (await ask('/v1/send-event', body)).status, PATIENT).toBe(200);
  });
});

describe.skipIf(broker?.process == null)('while the broker is down', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await install(broker!.env);
    await warmUp(installation);
  });
  afterAll(() => installation.stop());

  test('intake is refused or has an unknown outcome within the bounded wait, and no acknowledged event is lost', async () => {
    const { ask, service } = installation;
    const send = (value_str: string, headers = {}): Promise<Timed> =>
      ask('/v1/send-event', { event: 'known', user_id: 1, value_str }, headers);
    expect((await send('before')).status).toBe(200);
    await broker!.process!.kill();
    const tokens = Array.from({ length: 30 }, (_, n) => `during ${n}`);
    const answers = await Promise.all(
      tokens.map((token, n) => send(token, n % 3 === 0 ? { 'idempotency-key': token } : {})),
    );
    for (const { status, body, ms } of answers) {
      expect([500, 503]).toContain(status);
      expect(body.error).toMatch(status === 500 ? /^outcome unknown/ : /not available/);
      expect(ms).toBeLessThan(MAX_WAIT_MS + SLACK_MS);
    }
    expectUnavailable({ 'a new name': await ask('/v1/send-event', { event: 'new', user_id: 1 }) });

    await broker!.process!.start();
    await expect.poll(async () => (await send('after')).status, PATIENT).toBe(200);
    const kept = (await readAll(service.log, { categories: ['intake'] })).flatMap(({ events }) =>
      (events[0]!.data as { items: { value_str?: string }[] }).items.map(({ value_str }) => value_str),
    );
    const times = (token: string): number => kept.filter((each) => each === token).length;
    expect(times('before')).toBe(1);
    expect(times('after')).toBeGreaterThanOrEqual(1);
    for (const [n, token] of tokens.entries())
      expect(times(token), token).toBeLessThanOrEqual(answers[n]!.status === 503 ? 0 : 1);
  });
});
