import { z } from 'zod';
import { CONVERSION_DAYS } from '../../domain/broadcast/conversions.ts';
import { answer, timestamp, warning } from '../shapes.ts';
import { broadcastId, getQuery, resource } from './schemas.ts';

/** Shapes of the statistics of a broadcast (decisions.md#broadcast-statistics). */

export const statisticsQuery = getQuery;

const counts = {
  count_recipients: z.int(),
  count_delivered: z.int(),
  count_not_delivered: z.int().describe('Those of unknown outcome included'),
  count_cancelled: z.int().describe('Never attempted, since it was stopped or failed'),
  count_unknown: z.int().describe('May have been delivered: the platform gave no answer'),
  clicked: z.int().nullable().describe('Recipients with a counted click; null: no launch tracked clicks'),
  clicks: z.int().nullable().describe('Counted clicks'),
};

const ofVariant = { name: z.string(), share: z.int() };
const variantCounts = z.object({ ...ofVariant, ...counts }).meta({ id: 'VariantCounts' });
const link = z
  .object({
    launch: z.int(),
    variant: z.string().nullable().describe('Its name; null: the broadcast has none'),
    url: z.string(),
    clicked: z.int().describe('Recipients with a counted click'),
    clicks: z.int(),
  })
  .meta({ id: 'LinkClicks' });
export const statisticsAnswer = answer(
  z
    .object({
      total: z.object(counts).meta({ id: 'BroadcastCounts' }),
      variants: z.array(variantCounts).describe('In their order; empty: none'),
      links: z.array(link).describe('Links whose clicks are counted, by launch, in the order of the message'),
      data_as_of: timestamp.describe('What was recorded up to then has been counted'),
    })
    .meta({ id: 'BroadcastStatistics' }),
);

/** For OpenAPI only: the domain checks it. */
export const conversionsBody = z
  .object({
    ...resource,
    task_id: broadcastId.describe('The broadcast'),
    event_id: z.int().nullable().describe('Null: any event'),
    days: z.int().min(CONVERSION_DAYS.min).max(CONVERSION_DAYS.max).describe('Of 24 hours, from each message on'),
    conditions: z.array(z.unknown()).nullish().describe('On fields of the event, as in a performed_event'),
  })
  .meta({ id: 'ConversionsRequest' });

const converted = {
  delivered: z.int().describe('Recipients with the message, private chats only'),
  converted: z.int().describe('Of these, with such an event in the window'),
  in_window: z.int().describe('Not converted, and the window was not over: they still may'),
  rate: z.number().nullable().describe('converted divided by delivered; null: none was delivered'),
  events: z.int().describe('Such events in the windows'),
  value: z.string().describe('The sum of their value_amount, a decimal'),
};
const variantConversions = z.object({ ...ofVariant, ...converted }).meta({ id: 'VariantConversions' });
export const conversionsAnswer = answer(
  z
    .object({
      total: z.object(converted).meta({ id: 'ConversionCounts' }),
      variants: z.array(variantConversions).describe('In their order; empty: none'),
      days: z.int(),
      data_as_of: timestamp.describe('What was recorded up to then has been counted'),
      warnings: z.array(warning).describe('Amounts that await revaluation'),
    })
    .meta({ id: 'BroadcastConversions' }),
);

/** For a client in TypeScript: a change of an answer then breaks its type check. */
export type StatisticsAnswer = z.infer<typeof statisticsAnswer>['data'];
export type ConversionsAnswer = z.infer<typeof conversionsAnswer>['data'];
