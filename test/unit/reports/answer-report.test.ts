import type { FastifyReply } from 'fastify';
import { expect, it } from 'vitest';
import { answerReport } from '../../../src/api/reports/answer-report.ts';
import { StatementTimeoutError } from '../../../src/database/database-errors.ts';
import { ReportNotRunError } from '../../../src/queries/reports/report-queue.ts';

const reply = { request: { access: { principal: { keyId: 3 }, bot: null } } } as unknown as FastifyReply;
const bot = { bot_id: 7, public_key: 'bot7', timezone: 'UTC' };
const metric = { type: 'trend', event_id: null, event_name: 'any', agr: 'total' };
const config = {
  source_request: { type: 'trends', type_chart: 'table', requests: [metric] },
  settings: { params: { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-31 23:59:59' } },
};

/** The API error for a report that fails with `error`. */
async function answered(error: Error): Promise<unknown> {
  const keys: number[] = [];
  const answer = answerReport(
    async (_request, _bot, keyId) => {
      keys.push(keyId);
      throw error;
    },
    (_keyId, _reply, work) => work(),
    async () => ({ savedSegments: new Map(), problems: [] }),
    () => {},
  );
  const failed = await answer(reply, { bot, config, rows: 10 }).catch((each: unknown) => each);
  expect(keys).toEqual([3]);
  return failed;
}

it('answers 503 with Retry-After for a report that did not start, and 502 for one that ran too long', async () => {
  expect(await answered(new ReportNotRunError())).toMatchObject({ status: 503, retryAfter: 1 });
  expect(await answered(new StatementTimeoutError(100))).toMatchObject({
    status: 502,
    message: 'the report took longer than 100 ms: narrow the period',
  });
});
