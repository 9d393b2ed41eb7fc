import { expect } from 'vitest';
import { HOSTILE } from './browser.ts';
import type { TestBot, TestService } from './service.ts';

const PRICE = '123456789012345.123456';
const DAY_MS = 86_400_000;
const NOW = Date.now();
/** About noon of a day before today. */
const noon = (daysAgo: number): string =>
  `${new Date(NOW - daysAgo * DAY_MS).toISOString().slice(0, 10)}T11:00:00.000Z`;

/** Twelve users who come on three days by two campaigns. Five of them buy on the next days, for amounts beyond a float. */
export async function fillReports(service: TestService, bot: TestBot): Promise<void> {
  const key = { 'api-key': bot.apiKey };
  for (let id = 1; id <= 12; id++) {
    const message = {
      message_id: id,
      date: Date.parse(noon(2 + (id % 3))) / 1000,
      chat: { id, type: 'private' },
      from: { id, is_bot: false, first_name: HOSTILE[id % HOSTILE.length], language_code: id < 8 ? 'en' : 'de' },
      text: `/start source-ads_campaign-${id % 2 === 0 ? 'may' : 'june'}`,
      entities: [{ type: 'bot_command', offset: 0, length: 6 }],
    };
    expect((await service.post('/v1/send-update', { update: { update_id: id, message } }, key)).status).toBe(200);
  }
  const bought = [1, 2, 3, 4, 5].map((user_id, i) => {
    const category = JSON.stringify(HOSTILE[i % 2]);
    return `{"event":"buy","user_id":${user_id},"date":"${noon(1)}","value_num":${PRICE},"category":${category}}`;
  });
  expect((await service.post('/v1/send-event', `[${bought}]`, key)).status).toBe(200);
  await service.projected();
}
