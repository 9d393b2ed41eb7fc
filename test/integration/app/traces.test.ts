import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { setPayoutWebhook } from '../../../src/commands/referral/payout-webhook.ts';
import { ANY_CATEGORIES } from '../../../src/domain/streams.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import { pause } from '../../../src/util/pause.ts';
import { ALL_CATEGORIES, readAll } from '../../support/log.ts';
import { linksTo, type RecordedSpans, recordSpans, traceparentOf } from '../../support/recorded-spans.ts';
import { type RewardProgram, rewardProgram } from '../../support/reward-program.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver.ts';

/** A request is followed through the log to what it causes (decisions.md#traces). */

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = { traceparent: `00-${TRACE}-b7ad6b7169203331-01` };

let recorded: RecordedSpans;
let service: TestService;
let program: RewardProgram;
let client: WebhookReceiver;

beforeAll(async () => {
  recorded = recordSpans();
  service = await startTestService({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', WEBHOOK_RETRY_DELAYS: '0,3600' });
  program = await rewardProgram(service);
});
beforeEach(async () => {
  client = await webhookReceiver();
});
afterEach(() => client.close());
afterAll(async () => {
  await service.stop();
  recorded.stop();
});

const key = () => ({ 'api-key': program.bot.apiKey });
const commits = async () => readAll(service.log, { categories: [...ALL_CATEGORIES, 'account', 'referral'] });

it('the trace of a request goes through the append to the batches of read models', async () => {
  const sent = await service.post('/v1/send-event', { event: 'Order', user_id: 1 }, { ...key(), ...CALLER });
  expect(sent.status).toBe(200);
  const request = await recorded.find('POST /v1/send-event', (span) => span.spanContext().traceId === TRACE);
  expect(request).toMatchObject({
    kind: 1,
    parentSpanContext: { spanId: 'b7ad6b7169203331' },
    status: { code: 0 },
    attributes: { 'http.request.method': 'POST', 'http.route': '/v1/send-event', 'http.response.status_code': 200 },
  });
  const append = await recorded.find('append intake', (span) => span.spanContext().traceId === TRACE);
  expect(append.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
  expect(append).toMatchObject({
    kind: 3,
    attributes: { 'botledger.log.engine': 'postgres', 'botledger.stream.category': 'intake' },
  });
  expect((await commits()).at(-1)).toMatchObject({ trace: traceparentOf(append) });
  const batch = await recorded.find('project events', (span) => linksTo(span, append));
  expect(batch).toMatchObject({ kind: 4, attributes: { 'botledger.projection': 'events' } });
  expect(batch.parentSpanContext).toBeUndefined();
});

it('the append belongs to its request, also if the body arrives in parts', async () => {
  recorded.reset();
  const request = httpRequest(`${service.address}/v1/send-event`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...key() },
  });
  request.write('{"event": "Order",');
  await pause(50);
  request.end('"user_id": 1}');
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(200);
  const span = await recorded.find('POST /v1/send-event');
  const append = await recorded.find('append intake');
  expect(append.parentSpanContext?.spanId).toBe(span.spanContext().spanId);
});

it('requests that share an append each have their own trace in their commit', async () => {
  const before = (await commits()).length;
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => service.post('/v1/send-event', { event: 'Order', user_id: 1 }, key())),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  const traces = (await commits()).slice(before).map(({ trace }) => trace);
  expect(new Set(traces).size).toBe(8);
  expect(traces).not.toContain(undefined);
});

it('a reward links to the event that earned it', async () => {
  await program.rule({ amount: '7' });
  const user = await program.referral(1);
  await service.projected();
  recorded.reset();
  await program.send({ user_id: user });
  const append = await recorded.find('append intake');
  const accrual = await recorded.find('accrue rewards', (span) => linksTo(span, append));
  expect(accrual).toMatchObject({ kind: 4, attributes: { 'messaging.batch.message_count': 1 } });
  const booked = await recorded.find(
    'append account',
    (span) => span.parentSpanContext?.spanId === accrual.spanContext().spanId,
  );
  await recorded.find('project accounts', (span) => linksTo(span, booked));
});

it('a webhook attempt links to the request of its payout, also after a restart', async () => {
  await setPayoutWebhook(service.commands, program.bot.publicKey, `${client.url}?secret=hush`);
  client.answers(503);
  await program.rule({ amount: '9' });
  const referrer = 2;
  const user = await program.referral(referrer);
  await program.send({ user_id: user });
  await expect
    .poll(async () => (await program.call.data(`balance?user_id=${referrer}`)).balance.length)
    .toBeGreaterThan(0);
  recorded.reset();
  await program.call.data('payout', { user_id: referrer, method: 'webhook' });
  const append = await recorded.find('append account');
  const first = await recorded.find('announce payout', (span) => linksTo(span, append));
  const call = await recorded.find('POST webhook', ({ parentSpanContext }) => {
    return parentSpanContext?.spanId === first.spanContext().spanId;
  });
  expect(call).toMatchObject({
    kind: 2,
    status: { code: 2 },
    attributes: { 'http.response.status_code': 503, 'error.type': '503', 'server.address': '127.0.0.1' },
  });
  // The headers are signed, and the server is not ours.
  expect(client.calls[0]!.headers).not.toHaveProperty('traceparent');
  await service.restart(async () => recorded.reset());
  client.answers(200);
  await setPayoutWebhook(service.commands, program.bot.publicKey, client.url);
  const paid = await recorded.find('POST webhook', (span) => span.attributes['http.response.status_code'] === 200);
  const again = await recorded.find('announce payout', (span) => {
    return span.spanContext().spanId === paid.parentSpanContext?.spanId && linksTo(span, append);
  });
  await recorded.find('append account', (span) => span.parentSpanContext?.spanId === again.spanContext().spanId);
});

it('no span holds a bot, a key, a user or a path with a secret', async () => {
  const { publicKey, apiKey, webhookSecret } = program.bot;
  await service.get(`/v1/reports/events?api_key=${apiKey}&bot=${publicKey}`);
  await service.get('/secret-path');
  await recorded.find('GET');
  const texts = recorded.all.map(({ name, attributes, events, status }) =>
    JSON.stringify([name, attributes, events, status]),
  );
  expect(texts.length).toBeGreaterThan(50);
  for (const secret of [publicKey, apiKey, webhookSecret, 'hush', 'secret-path', '/hook'])
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  const names = new Set(recorded.all.flatMap(({ attributes }) => Object.keys(attributes)));
  expect([...names].filter((name) => !/^(http|server|messaging|error|botledger)\./.test(name))).toEqual([]);
});

it('without a tracer provider a commit has no trace, and a request makes no span', async () => {
  const untraced = await startTestService();
  recorded.stop();
  try {
    await untraced.restart();
    recorded.reset();
    const bot = await untraced.createBot();
    await untraced.post('/v1/send-event', { event: 'Order', user_id: 1 }, { 'api-key': bot.apiKey, ...CALLER });
    const log = await openPostgresLog({ connectionString: untraced.database.url, anyCategories: ANY_CATEGORIES });
    const read = await readAll(log, { categories: ['intake'] });
    await log.close();
    expect(read).toHaveLength(1);
    const { rows } = await untraced.database.pool.query<{ body: string }>(
      `SELECT body FROM log.commits WHERE id = '${read[0]!.id}'`,
    );
    const fields = ['id', 'stream', 'rev', 'prev', 'at', 'key', 'nonce', 'events'];
    expect(Object.keys(JSON.parse(rows[0]!.body))).toEqual(fields);
    expect(recorded.spans).toEqual([]);
  } finally {
    await untraced.stop();
    recorded.resume();
  }
});
