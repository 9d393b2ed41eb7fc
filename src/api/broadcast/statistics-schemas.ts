import { z } from 'zod';
import { answer, getQuery } from './schemas.ts';

/** Shapes of the statistics of a broadcast (decisions.md#broadcast-statistics). */

export const statisticsQuery = getQuery;

const counts = {
  count_recipients: z.int(),
  count_delivered: z.int(),
  count_not_delivered: z.int().describe('Those of unknown outcome included'),
  count_cancelled: z.int().describe('Never attempted, since it was stopped or failed'),
  count_unknown: z.int().describe('May have been delivered: the platform gave no answer'),
};

export const statisticsAnswer = answer(
  z.object({
    total: z.object(counts),
    variants: z
      .array(z.object({ name: z.string(), share: z.int(), ...counts }))
      .describe('In their order; empty: none'),
    data_as_of: z.iso.datetime({ offset: true }).describe('What was recorded up to then has been counted'),
  }),
);
