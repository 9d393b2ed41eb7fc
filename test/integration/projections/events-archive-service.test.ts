import { expect, it } from 'vitest';
import { CHUNK_EVENTS } from '../../../src/columns/chunk.ts';
import { NEWEST_EVENTS } from '../../../src/projections/events/packed/due.ts';
import { startTestService } from '../../support/service.ts';

/** Events of one request. */
const BATCH = 1000;

it.each([
  ['3', 3],
  ['0', 0],
])('a service with EVENTS_ROWS_MONTHS=%s looks for chunks of that age after each packing', async (months, looked) => {
  const service = await startTestService({ EVENTS_ROWS_MONTHS: months });
  try {
    const { apiKey } = await service.createBot();
    const headers = { 'api-key': apiKey };
    const user = { id: 1, is_bot: false, first_name: 'Ada' };
    const message = {
      message_id: 1,
      date: Math.floor(Date.now() / 1000),
      chat: { id: 1, type: 'private' },
      from: user,
    };
    const update = { update: { update_id: 1, message: { ...message, text: 'hello' } } };
    expect(await service.post('/v1/send-update', update, headers)).toMatchObject({ status: 200 });
    for (let sent = 0; sent < CHUNK_EVENTS + NEWEST_EVENTS; sent += BATCH) {
      const events = Array.from({ length: BATCH }, () => ({ event: 'click', user_id: 1 }));
      expect(await service.post('/v1/send-event', events, headers)).toMatchObject({ status: 200 });
    }
    await service.projected();
    await expect
      .poll(async () => {
        const { rows } = await service.database.pool.query(
          'SELECT packed::int, archived_months FROM events_v1.timelines',
        );
        return rows;
      })
      .toEqual([{ packed: CHUNK_EVENTS, archived_months: looked }]);
  } finally {
    await service.stop();
  }
});
