import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { pause } from '../../../src/util/pause.ts';
import {
  type Answers,
  allAnswers,
  type FilledBots,
  fillService,
  repeatAll,
  request,
} from '../../support/all-answers.ts';
import { sampleReports } from '../../support/sample-reports.ts';
import { startTestInstance, type TestService } from '../../support/service.ts';

/** The log is the only truth: when all else is dropped, every answer comes back, ids included. Runs on every engine. */
export function describeDroppedDatabase(start: () => Promise<TestService>): void {
  let service: TestService;
  let filled: FilledBots;

  beforeAll(async () => {
    service = await start();
    filled = await fillService(service);
  });
  afterAll(() => service.stop());

  const answers = (address: string): Promise<Answers> => allAnswers(address, filled);

  describe('a database that is dropped', () => {
    let before: Answers;
    beforeAll(async () => {
      before = await answers(service.address);
    });

    test('has given every kind of answer', () => {
      const statuses = Object.fromEntries(Object.entries(before).map(([name, { status }]) => [name, status]));
      expect(statuses).toEqual({
        ...Object.fromEntries(Object.keys(sampleReports()).map((name) => [name, 200])),
        broadcasts: 200,
        statistics: 200,
        conversions: 200,
        'exported events': 200,
        'exported users': 200,
        'exported accruals': 200,
        'exported recipients': 200,
        orderedBroadcasts: 200,
        draft: 200,
        scheduled: 200,
        failed: 200,
        savedTooLate: 200,
        recipients: 200,
        unknownBroadcast: 404,
        resources: 200,
        events: 200,
        fields: 200,
        eventProperties: 200,
        properties: 200,
        userFields: 200,
        newUsers: 200,
        cellUsers: 200,
        referrers: 200,
        searchedReferrers: 200,
        referralTotals: 200,
        allPayouts: 200,
        entries: 200,
        statementOfNobody: 404,
        proofWithProofsOff: 404,
        chain: 200,
        program: 200,
        broadcastFields: 200,
        audienceSize: 200,
        savedAudience: 200,
        audienceOfNone: 400,
        reportOfSegment: 200,
        reportOfNone: 400,
        messagePreview: 200,
        testSendToNoChat: 400,
        'confirm of no payout': 404,
        'fail of no payout': 404,
        'cancel of no payout': 404,
        'retry of no payout': 404,
        settingsOfBots: 200,
        settingsOfKeys: 200,
        settingsOfPlan: 200,
        settingsOfGoals: 200,
        settingsOfUnits: 200,
        settingsOfRates: 200,
        settingsOfRules: 200,
        settingsOfWebhook: 200,
        settingsOfDeliveries: 200,
        botBeyondTheKey: 403,
        unknownRedelivery: 404,
        utmLabels: 200,
        savedReports: 200,
        savedReport: 200,
        savedSegments: 200,
        savedSegment: 200,
        deletedSegment: 404,
        deletedReport: 404,
        savedReportRun: 200,
        savedReportAsCsv: 200,
        codes: 200,
        referrals: 200,
        marked: 200,
        badMark: 400,
        unknownCode: 404,
        balance: 200,
        balanceOfNobody: 200,
        payouts: 200,
        accruals: 200,
        rates: 200,
        history: 200,
        noBalance: 400,
        reversedTwice: 409,
        errors: 200,
        latestEvents: 200,
        usersOfBot: 200,
        userOfBot: 200,
        broadcastsOfUser: 200,
        errorsOfAnother: 200,
        badEvent: 400,
        badTarget: 400,
        noKey: 401,
        wrongKey: 401,
        revokedKey: 401,
        unknownBot: 404,
        foreignBot: 403,
        noPremium: 403,
        wrongSecret: 401,
        rightSecret: 200,
      });
      expect(before['errors']!.body.data.items.length).toBeGreaterThan(2);
      expect(before['codes']!.body.data).toMatchObject({ total_referrals: 3, codes: [{ link: expect.any(String) }] });
      expect(before['marked']!.body.data).toMatchObject({ referrer_id: 1, already_attributed: true });
      expect(before['history']!.body.data.history.map(({ event }: { event: string }) => event)).toEqual([
        ...['accrued', 'accrued', 'accrued', 'payout_requested', 'payout_requested', 'payout_paid', 'payout_cancelled'],
        ...['accrued', 'payout_requested', 'payout_requested', 'compensated', 'cancelled'],
      ]);
      expect(before['savedAudience']!.body.data.count).toBe(1);
      expect(before['reportOfSegment']!.body.data.rows[0].value).toBeGreaterThan(0);
      // EUR at 1.1: 19.99 ordered and a sale of 5.
      expect(before['amounts']!.body.data.columns[1].total).toBe(27.489);
    });

    test('has received a request for every route of the API', async () => {
      const asked = vi.spyOn(globalThis, 'fetch');
      await answers(service.address);
      const ways = asked.mock.calls.map(([url, init]) => [init?.method ?? 'GET', String(url)] as const);
      asked.mockRestore();
      for (const { path, body } of filled.writes)
        ways.push([body === undefined ? 'GET' : 'POST', `${service.address}/v1/${path}`]);
      const { paths } = (await request(`${service.address}/openapi.json`, {})).body as {
        paths: Record<string, object>;
      };
      // Answers of /admin tell about read models and processes. A dropped database does not have them.
      const operations = Object.entries(paths)
        .filter(([path]) => !path.startsWith('/admin/'))
        .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })));
      const missed = operations.filter(({ path, method }) => {
        const pattern = new RegExp(`^${path.replace(/\{[^}]*\}/g, '[^/]+')}$`);
        return !ways.some(([how, url]) => how === method && pattern.test(new URL(url).pathname));
      });
      expect(operations.length).toBeGreaterThan(30);
      expect(missed).toEqual([]);
    });

    test('causes only answers with 503 until the catalog is rebuilt, and then the earlier answers', async () => {
      await service.restart(async () => {
        await service.dropDerived();
        const port = await freePort();
        const address = `http://127.0.0.1:${port}`;
        // No projector runs, so the catalog stays empty, as at the beginning of a replay.
        const api = startTestInstance({ ...service.env, ROLE: 'api', PORT: String(port) });
        await until(async () => (await fetch(`${address}/health`).catch(() => null))?.ok === true);
        const during = await answers(address);
        expect(new Set(Object.values(during).map(({ status }) => status))).toEqual(new Set([503]));
        const { status, headers } = await request(`${address}/v1/reports/events`, { 'api-key': 'unknown:wrong' });
        expect([status, headers.get('retry-after')]).toEqual([503, '1']);
        expect((await fetch(`${address}/ready`)).status).toBe(503);

        const projector = await startTestInstance({ ...service.env, ROLE: 'projector' });
        await (await api).stop();
        await projector.stop();
      });
      await service.projected();
      expect(await answers(service.address)).toEqual(before);
    });

    test('gets the earlier answers to requests that are repeated under their Idempotency-Key, and they change nothing', async () => {
      expect(await repeatAll(service.address, filled)).toEqual(filled.writes);
      await service.projected();
      expect(await answers(service.address)).toEqual(before);
    });

    test('continues: ids continue from the last one, and repeats are recognised', async () => {
      const key = { 'api-key': filled.bot.apiKey };
      const eventsOf = async () =>
        (await service.get('/v1/reports/events', key)).body.data.items as { event_id: number; name: string }[];
      const known = await eventsOf();
      const again = { event: 'ordered', user_id: 1, event_key: 'order-1' };
      expect((await service.post('/v1/send-event', [again, { event: 'brand new', user_id: 1 }], key)).status).toBe(200);
      await service.projected();
      const now = await eventsOf();
      expect(now.map(({ event_id }) => event_id)).toEqual([
        ...known.map(({ event_id }) => event_id),
        Math.max(...known.map(({ event_id }) => event_id)) + 1,
      ]);
      const ordered = ({ name }: { name: string }): boolean => name === 'ordered';
      expect(now.find(ordered)).toEqual(known.find(ordered));
    });
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(20);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
