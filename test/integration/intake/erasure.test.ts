import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAll } from '../../support/log.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';
import { describeErasure } from './erasure.suite.ts';

const MAX_WAIT_MS = 1000;

describe('with the log in the database', () => {
  describeErasure({
    start: () => startTestService(),
    async stored({ database }) {
      const { rows } = await database.pool.query<{ all: string }>(
        `SELECT concat(string_agg(c::text, ' '), (SELECT string_agg(x::text, ' ') FROM log.commands x)) AS all FROM log.commits c`,
      );
      return rows[0]!.all;
    },
  });

  describe('while the keyring does not answer', () => {
    let service: TestService;
    let bot: TestBot;
    beforeAll(async () => {
      service = await startTestService({ MAX_WAIT_MS: String(MAX_WAIT_MS) });
      bot = await service.createBot();
    });
    afterAll(() => service.stop());

    const send = (update_id: number) => {
      const from = { id: 7, is_bot: false, first_name: 'Ada' };
      const message = { message_id: 1, date: 1_767_225_600, chat: { id: 7, type: 'private' }, from };
      return service.post('/v1/send-update', { update: { update_id, message } }, { 'api-key': bot.apiKey });
    };

    test('updates are refused with 503 and append nothing, and are accepted when it answers again', async () => {
      const lock = await service.database.pool.connect();
      try {
        await lock.query('BEGIN; LOCK TABLE log.keys IN ACCESS EXCLUSIVE MODE');
        const { status, body, headers } = await send(1);
        expect([status, body.error_code, headers.get('retry-after')]).toEqual([503, 503, '1']);
        // An event without personal data needs no key.
        expect(
          (await service.post('/v1/send-event', { event: 'seen', user_id: 7 }, { 'api-key': bot.apiKey })).status,
        ).toBe(200);
      } finally {
        await lock.query('ROLLBACK');
        lock.release();
      }
      expect(await readAll(service.log, { categories: ['intake'] })).toHaveLength(1);
      expect((await send(1)).status).toBe(200);
      expect(await readAll(service.log, { categories: ['intake'] })).toHaveLength(2);
    });
  });
});
