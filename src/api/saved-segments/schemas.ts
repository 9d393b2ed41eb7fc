import { z } from 'zod';
import type { JsonObject } from '../../domain/storable-json.ts';
import { answer, items, timestamp, warning } from '../shapes.ts';

/** Shapes of saved segments (decisions.md#saved-segments). Those of bodies serve OpenAPI only: the domain checks them. */

const saved_segment_id = z.int().positive().meta({ example: 1 });
const conditions = z
  .object({
    user_conditions: z.array(z.unknown()).nullish(),
    event_filters: z.array(z.unknown()).nullish(),
  })
  .describe('As the config of a filter segment of a broadcast')
  .meta({
    id: 'SavedSegmentConditions',
    example: {
      user_conditions: ['=', 'users.is_premium', true],
      event_filters: ['performed_event', { event_id: 101, period_days: 30 }],
    },
  });

/** Parsed as an object of any shape. */
export const saveBody: z.ZodType<JsonObject> = z
  .object({
    resource_key: z.string().optional(),
    name: z.string().describe('1 to 250 characters'),
    conditions,
    saved_segment_id: saved_segment_id
      .nullish()
      .describe('The saved segment to replace; without one, a new one is saved'),
  })
  .meta({ id: 'SaveSegmentRequest' });

/** Parsed as an object of any shape. */
export const deleteBody: z.ZodType<JsonObject> = z
  .object({ resource_key: z.string().optional(), saved_segment_id })
  .meta({ id: 'DeleteSavedSegmentRequest' });

const NOT_AN_ID = 'must be the id of a saved segment';
export const getQuery = z.object({
  saved_segment_id: z
    .string('saved_segment_id is required')
    .regex(/^[1-9]\d*$/, NOT_AN_ID)
    .transform(Number)
    .refine(Number.isSafeInteger, NOT_AN_ID)
    .meta({ type: 'integer', example: 1 }),
});

const savedSegment = z
  .object({
    saved_segment_id,
    name: z.string(),
    resource_key: z.string().describe('Of its bot'),
    conditions,
    date_create: timestamp,
    date_change: timestamp.describe('When it was saved last'),
  })
  .meta({ id: 'SavedSegment' });

export const savedAnswer = answer(z.object({ saved_segment_id }).meta({ id: 'SavedSegmentId' }));
export const deleteAnswer = savedAnswer.extend({
  warnings: z.array(warning).optional().describe('Drafts that use it'),
});
export const savedSegmentAnswer = answer(savedSegment);
export const savedSegmentsAnswer = items(savedSegment);
