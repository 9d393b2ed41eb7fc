import type pg from 'pg';
import type { z } from 'zod';
import { parseConversion } from '../../domain/broadcast/conversions.ts';
import type { Problem } from '../../domain/problem.ts';
import type { JsonObject } from '../../domain/storable-json.ts';
import { type ConvertedRecipients, countConversions } from '../../queries/broadcast/count-conversions.ts';
import { botOf } from '../access.ts';
import { failedCount, invalid } from '../api-errors.ts';
import { callerGone } from '../caller-gone.ts';
import { dataAsOf } from '../data-as-of.ts';
import { type AnyRoute, route } from '../route.ts';
import { type BroadcastChanges, namedBroadcast } from './broadcast-context.ts';
import { idOf, objectOf } from './content.ts';
import { conversionsAnswer, conversionsBody } from './statistics-schemas.ts';

const TIMEOUT_MS = 15_000;

/**
 * POST /v1/broadcast/conversions (decisions.md#conversions): counts recipients who did something after their message.
 * @param counts a pool with connections only for counts
 */
export function conversions(changes: BroadcastChanges, counts: pg.Pool): AnyRoute {
  const { context, db } = changes;
  const asOf = dataAsOf(db.pool, context.log, context.sources);
  return route({
    method: 'POST',
    url: '/v1/broadcast/conversions',
    operationId: 'countConversions',
    summary: 'How many recipients of a broadcast did something within days of their message, in total and by variant',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    body: conversionsBody as z.ZodType<JsonObject>,
    check: objectOf,
    answer: conversionsAnswer,
    errors: [502],
    async handle({ request, reply, body }) {
      const { bot_id: botId, timezone } = botOf(request);
      const problems: Problem[] = [];
      const broadcastId = idOf(body, 'task_id');
      const conversion = parseConversion(body, timezone, problems);
      if (problems.length > 0) throw invalid(problems);
      const { variants = [] } = await namedBroadcast(changes, request, broadcastId, 'task_id');
      const signal = callerGone(reply);
      const { pool, ...tables } = await db.at('users', 'events', 'referral', 'recipients');
      const data_as_of = await asOf([tables.recipients, tables.events], botOf(request));
      const shares = variants.map(({ share }) => share);
      const source = { broadcastId, botId, shares, tables, asOf: Date.parse(data_as_of) };
      const limits = { timeoutMs: TIMEOUT_MS, signal };
      try {
        const found = await countConversions(counts, pool, conversion, source, limits);
        return {
          ok: true,
          data: {
            total: withRate(found.total),
            variants: variants.map(({ name, share }, index) => ({ name, share, ...withRate(found.variants[index]!) })),
            days: conversion.days,
            data_as_of,
            warnings: found.deferred === null ? [] : [found.deferred.warning],
          },
        };
      } catch (error) {
        throw failedCount(error, signal, 'counting conversions');
      }
    },
  });
}

const withRate = (counted: ConvertedRecipients) => ({
  ...counted,
  rate: counted.delivered === 0 ? null : counted.converted / counted.delivered,
});
