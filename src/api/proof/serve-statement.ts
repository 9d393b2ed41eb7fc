import { Readable } from 'node:stream';
import type pg from 'pg';
import { z } from 'zod';
import { whileTaken } from '../../administration/export/while-taken.ts';
import { NoStatementError, openStatement } from '../../administration/statement/open-statement.ts';
import type { Reader } from '../../projections/reader.ts';
import { botOf, principalOf } from '../access.ts';
import { ApiError, invalid } from '../api-errors.ts';
import { callerGone } from '../caller-gone.ts';
import type { ExportSlots } from '../export/export-slots.ts';
import { periodBounds, periodOf } from '../export/period-query.ts';
import { userQuery } from '../referral/schemas.ts';
import { type AnyRoute, route } from '../route.ts';
import type { ProveForCaller } from './prove-for-caller.ts';

/** A caller that takes nothing for this time counts as gone: until the end a statement holds a snapshot of the database. */
const WAITS = { stallMs: 30_000, totalMs: 300_000 };

export interface StatementRouteOptions {
  readonly db: Reader;
  /** Connections only for exports. A statement is one of them. */
  readonly exports: pg.Pool;
  readonly slots: ExportSlots;
  readonly now: () => number;
  readonly prove: ProveForCaller | null;
}

/** GET /v1/referral/statement (decisions.md#statement): the history of an account for a period, as PDF. */
export function statement({ db, exports, slots, now, prove }: StatementRouteOptions): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/referral/statement',
    operationId: 'getReferralStatement',
    summary: "A referrer's statement of account for a period, as PDF",
    tag: 'Referrals',
    access: { resource: 'required' },
    query: userQuery.extend(periodBounds),
    answer: z.string(),
    media: ['application/pdf'],
    async handle({ request, reply, query: { user_id: userId, from, to } }) {
      const bot = botOf(request);
      const period = periodOf(from, to);
      slots.take(principalOf(request).keyId, reply);
      const gone = callerGone(reply);
      const asked = { bot: bot.public_key, userId, withEvents: false };
      const opened = await openStatement(
        {
          ...{ db, pool: exports, now, signal: gone },
          prove: prove === null ? null : (at) => prove(reply, { ...asked, at }, gone),
        },
        { bot, userId, period },
      ).catch((error: unknown) => {
        throw error instanceof NoStatementError ? problemOf(error) : error;
      });
      void reply.type('application/pdf').headers({
        'content-disposition': `attachment; filename="statement-${userId}.pdf"`,
        'cache-control': 'no-store',
      });
      const taken = whileTaken(opened.parts, WAITS, () => reply.raw.destroy());
      return Readable.from(taken, { objectMode: false });
    },
  });
}

function problemOf({ reason, message }: NoStatementError): ApiError {
  return reason === 'no account' ? new ApiError(404, message) : invalid([{ path: 'from', message }]);
}
