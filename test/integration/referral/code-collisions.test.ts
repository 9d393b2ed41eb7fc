import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildApp } from '../../../src/api/app.ts';
import { exportSlots } from '../../../src/api/export/export-slots.ts';
import { referralRoutes } from '../../../src/api/referral/routes.ts';
import { changeBot } from '../../../src/commands/catalog/change-bot.ts';
import { createAuthenticator } from '../../../src/queries/catalog/authenticator.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { onOwnServer } from '../../support/database.ts';
import { readAll } from '../../support/log.ts';
import { longOnly } from '../../support/long-only.ts';
import { firstReader } from '../../support/read-model-tables.ts';
import { referralCaller } from '../../support/referral.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';
import { stubOperations } from '../../support/stub-app.ts';

onOwnServer();

/** A code that is taken is never given: another is. By chance that would happen once in 10^14 times. */

/** Long enough for a busy machine, since all but one of these requests are answered at once. */
const MAX_WAIT_MS = 5000;
let service: TestService;
let bot: TestBot;
/** Another door to the service, whose codes are of one letter each: these, in order. */
let app: FastifyInstance;
const letters: string[] = [];

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot();
  const { log, database } = service;
  const { pool } = database;
  /** The place of `a` among the letters of codes. */
  const first = 32;
  const sources = {
    ...systemSources,
    randomBytes: (size: number) => new Uint8Array(size).fill(first + letters.shift()!.charCodeAt(0) - 97),
  };
  const db = firstReader(pool);
  app = await buildApp({
    logger: pino({ level: 'silent' }),
    trustProxy: false,
    operations: stubOperations,
    api: {
      access: {
        authenticator: createAuthenticator({ catalog: () => db.at('catalog'), sources }),
        catalogReady: () => true,
        ratePerKey: 0,
        failuresPerMinute: 0,
      },
      routes: referralRoutes({
        config: { MAX_WAIT_MS },
        counts: db.pool,
        exports: db.pool,
        slots: exportSlots(1),
        log,
        db,
        sources,
        proofs: null,
      }),
      context: { log, sources },
    },
  });
});
afterAll(async () => {
  await app.close();
  await service.stop();
});

async function ask(path: string, payload: object, drawn: string, key?: string) {
  letters.splice(0, letters.length, ...drawn);
  const headers = { 'api-key': bot.apiKey, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const answer = await app.inject({ method: 'POST', url: `/v1/referral/${path}`, headers, payload });
  return { status: answer.statusCode, ...answer.json() };
}
const create = async (user_id: number, drawn: string, key?: string): Promise<string> =>
  (await ask('create-code', { user_id }, drawn, key)).data.code;
const commits = async (): Promise<number> => (await readAll(service.log, { categories: ['referral'] })).length;

it('create-code takes another code, and a repeat of the request gets the same', async () => {
  expect(await create(1, 'a')).toBe('aaaaaaaa');
  expect(await create(2, 'aab', 'collides')).toBe('bbbbbbbb');
  const before = await commits();
  expect(await create(2, 'ddd', 'collides')).toBe('bbbbbbbb');
  expect(await commits()).toBe(before);
  // Each call makes a new code: one's own is taken as well.
  expect(await create(2, 'bc')).toBe('cccccccc');
  const { codes } = await referralCaller(service, bot).data('codes?user_id=2');
  expect(codes.map(({ code }: { code: string }) => code)).toEqual(['cccccccc', 'bbbbbbbb']);
});

it('a payload of an earlier visit is no new code, though it has no owner', async () => {
  await referralCaller(service, bot).visit(9, 'dddddddd');
  expect(await create(3, 'de')).toBe('eeeeeeee');
});

it('create-code gives up after a few codes', async () => {
  expect(await ask('create-code', { user_id: 4 }, 'aaaaaaaa')).toMatchObject({ status: 503, error_code: 503 });
});

it('mark-referral gives the referrer another code, and counts once', async () => {
  const body = { referral_user_id: 20, referrer_user_id: 21 };
  const data = { referral_id: 20, referrer_id: 21, code: 'ffffffff', already_attributed: false };
  expect(await ask('mark-referral', body, 'abf', 'mark')).toMatchObject({ status: 200, data });
  expect(await ask('mark-referral', body, 'ggg', 'mark')).toMatchObject({ status: 200, data });
  expect(await referralCaller(service, bot).referralsOf(21)).toMatchObject([{ referral_id: 20 }]);
});

longOnly(
  'create-code without an answer in time takes another code when it is repeated, with the first name of the bot',
  async () => {
    const blocker = await service.database.pool.connect();
    try {
      await blocker.query('BEGIN; LOCK TABLE referral_v1.outcomes IN SHARE ROW EXCLUSIVE MODE');
      expect(await ask('create-code', { user_id: 5 }, 'a', 'late')).toMatchObject({ status: 500, error_code: 500 });
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    await changeBot(service.commands, bot.publicKey, { username: 'named_since' });
    await service.projected();
    const data = { code: 'iiiiiiii', link: null };
    expect(await ask('create-code', { user_id: 5 }, 'hi', 'late')).toMatchObject({ status: 200, data });
    expect(await ask('create-code', { user_id: 5 }, 'jj', 'late')).toMatchObject({ status: 200, data });
  },
);
