import { z } from 'zod';
import { MESSAGE_TYPES } from '../../domain/broadcast/broadcast-events.ts';
import { BROADCAST_STATUSES } from '../../domain/broadcast/broadcast-status.ts';
import { DEFAULT_SETTINGS, MAX_CAP, MAX_PAID_CAP } from '../../domain/broadcast/settings.ts';
import type { JsonObject } from '../../domain/storable-json.ts';
import { BROADCAST_ORDERS } from '../../queries/broadcast/broadcasts.ts';
import { RECIPIENT_STATES } from '../../queries/broadcast/recipients.ts';
import { rawQuery } from '../csv-form.ts';
import type { NamedReport } from '../reports/schemas.ts';
import { cellOfNamedReport } from '../reports/users-schemas.ts';
import { answer, localTime, timestamp, warning } from '../shapes.ts';

/**
 * Shapes of broadcasts (interface.md, "Broadcast object"; decisions.md#broadcast-object). OpenAPI uses the shapes of
 * bodies. The domain checks bodies, and names each mistake with its path.
 */

export const messageType = z.enum(MESSAGE_TYPES).meta({ id: 'MessageType' });
const segment = z
  .looseObject({
    type: z.enum(['all', 'list', 'custom', 'channel', 'from_task', 'filter', 'saved']),
    config: z
      .looseObject({})
      .nullish()
      .describe('chat_ids, segment_id, task_id, saved_segment_id, or user_conditions and event_filters'),
  })
  .meta({ id: 'Segment' });
export const segmentations = z
  .object({ include: z.array(segment).optional(), exclude: z.array(segment).optional() })
  .meta({ id: 'Segmentations', description: 'All of include without exclude' });
export const message = z.looseObject({}).meta({
  id: 'Message',
  description:
    'By type: text, or photo, video, document, animation, audio, voice or media; caption, parse_mode, reply_markup…',
});
const variant = z
  .object({ name: z.string(), share: z.int().describe('A whole percentage; the sum of all shares is 100'), message })
  .meta({ id: 'Variant' });
const variants = z
  .array(variant)
  .describe('2 to 10 messages instead of one message. A hash of the recipient chooses the message that it gets');
const rateLimitOnError = z
  .object({
    stop: z.boolean().optional().describe('Stop when the platform asks to slow down; default true'),
    extraDelay: z
      .int()
      .optional()
      .describe('If stop is false: the least gap between messages after such a request, in milliseconds'),
  })
  .meta({ id: 'RateLimitOnError' });
const settings = z
  .object({
    intervalCap: z
      .int()
      .optional()
      .describe(
        `Messages a second, 1 to ${MAX_CAP}, with paid broadcasts to ${MAX_PAID_CAP}; default ${DEFAULT_SETTINGS.intervalCap}`,
      ),
    track_clicks: z
      .boolean()
      .optional()
      .describe('Links lead through this service, which counts clicks; default false'),
    rateLimitOnError: rateLimitOnError.optional(),
  })
  .meta({ id: 'BroadcastSettings' });
const content = {
  name: z.string().nullish().describe('For the owner, 1 to 250 characters'),
  segmentations: segmentations.nullish(),
  message: message.nullish(),
  variants: variants.nullish(),
  settings: settings.nullish(),
  date_send: localTime.nullish().describe("In the bot's time zone; null: at once when it is activated"),
};
export const resource = { resource_key: z.string().optional() };
export const broadcastId = z.int().positive();
const id = broadcastId;

/** Parsed as an object of any shape. */
export const createBody: z.ZodType<JsonObject> = z
  .object({
    ...resource,
    type: messageType,
    ...content,
    activate: z.boolean().nullish().describe('Also launch the broadcast'),
  })
  .meta({
    id: 'CreateBroadcastRequest',
    example: {
      type: 'sendMessage',
      name: 'Spring sale',
      message: { text: 'Hello {{user.first_name | default: "friend"}}', parse_mode: 'html' },
      segmentations: { include: [{ type: 'all', config: {} }] },
    },
  });

/** Parsed as an object of any shape. */
export const saveBody: z.ZodType<JsonObject> = z
  .object({
    ...resource,
    id,
    type: z
      .enum(MESSAGE_TYPES)
      .nullish()
      .describe('Changes the type of a draft. Without message and variants in the request the draft loses its own'),
    ...content,
  })
  .meta({ id: 'SaveBroadcastRequest' });

export const archiveBody = z
  .object({
    ...resource,
    id,
    archived: z.boolean().nullish().describe('false: take it out of the archive; default true'),
  })
  .meta({ id: 'ArchiveBroadcastRequest' });
/** Names a broadcast, to cancel or delete it. */
export const broadcastBody = z.object({ ...resource, id }).meta({ id: 'BroadcastIdRequest' });

/** An integer of a query, refused if out of range (decisions.md#broadcast-object). */
const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d+$/, 'must be an integer')
    .transform(Number)
    .refine((number) => number >= min && number <= max, `must be ${min} to ${max}`)
    .meta({ type: 'integer' });

const queryId = z
  .string('id is required')
  .regex(/^[1-9]\d*$/, 'must be the id of a broadcast')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be the id of a broadcast')
  .meta({ type: 'integer', example: 1 });

export const getQuery = z.object({ id: queryId });

const LIST_LIMIT = { byDefault: 100, max: 500 };
const paging = {
  limit: integer(1, LIST_LIMIT.max).default(LIST_LIMIT.byDefault).describe(`Default ${LIST_LIMIT.byDefault}`),
  offset: integer(0, Number.MAX_SAFE_INTEGER).default(0),
};

const filters = {
  'filters[status]': integer(0, BROADCAST_STATUSES.length - 1).optional(),
  'filters[archived]': z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('true: only archived broadcasts; false: only others; absent: both'),
  'filters[name]': z
    .string()
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must not hold U+0000')
    .optional()
    .describe('Part of the name, in upper or lower case'),
  'filters[date_create]': z
    .string()
    .optional()
    .describe("A day of the bot's time zone, YYYY-MM-DD, or the first and the last of several, joined by a comma"),
};
const direction = z.enum(['asc', 'desc']).optional();
const orders = Object.fromEntries(BROADCAST_ORDERS.map((field) => [`orders[${field}]`, direction])) as Record<
  `orders[${(typeof BROADCAST_ORDERS)[number]}]`,
  typeof direction
>;
const known = Object.keys({ ...filters, ...orders });

export const listQuery = z.looseObject({ ...filters, ...orders, ...paging }).superRefine((query, context) => {
  for (const key of Object.keys(query))
    if (/^(?:filters|orders)\b/.test(key) && !known.includes(key))
      context.addIssue({
        code: 'custom',
        path: [key],
        message: `unknown filter or order; must be one of ${known.join(', ')}`,
      });
});

const broadcast = z
  .object({
    id,
    status: z.literal(BROADCAST_STATUSES).meta({
      type: 'integer',
      description:
        '0 draft, 1 scheduled, 2 sending, 3 finished, 4 stopped, 5 error; 6 resolving the audience, 7 about to be sent, 8 stopping',
    }),
    name: z.string().nullable(),
    type: messageType,
    segmentations,
    message,
    variants: variants.optional(),
    settings,
    date_send: localTime.nullable(),
    date_create: localTime,
    date_activate: localTime.nullable(),
    date_finish: localTime.nullable(),
    count_recipients: z.int(),
    count_delivered: z.int(),
    count_not_delivered: z.int().describe('Includes recipients with an unknown outcome'),
    count_cancelled: z.int().describe('Recipients never called, because the broadcast was stopped or failed'),
    count_unknown: z.int().describe('Messages that may have been delivered: the platform gave no answer'),
    archived: z.literal(true).optional().describe('The broadcast is archived; a launch takes it out of the archive'),
    error: z.string().nullable(),
    paused_until: localTime.nullable(),
  })
  .meta({ id: 'Broadcast' });

/** zod parses only these two fields. */
export const segmentBody: z.ZodType<{ task_id: number; chat_ids: unknown }> = z
  .object({
    ...resource,
    task_id: id.describe('The draft that it is for'),
    chat_ids: z.array(z.int()).min(1).describe('Groups and channels are negative'),
  })
  .meta({ id: 'UploadSegmentRequest' });
export const segmentAnswer = answer(
  z
    .object({
      segment_id: id.describe('Name it in a segment of type custom'),
      count_list: z.int().describe('Without duplicates'),
      duplicates: z.int(),
    })
    .meta({ id: 'UploadedSegment' }),
);

/** The domain parses the report and the cell. */
export interface SegmentFromReport extends NamedReport {
  readonly task_id: number;
  readonly cell?: unknown;
}
export const segmentFromReportBody: z.ZodType<SegmentFromReport> = z
  .object({ ...cellOfNamedReport, ...resource, task_id: id.describe('The draft that it is for') })
  .meta({ id: 'SegmentFromReportRequest' });
export const segmentFromReportAnswer = answer(
  z
    .object({
      segment_id: id.describe('Name it in a segment of type custom'),
      count: z.int().describe('Users in the list'),
      data_as_of: timestamp.describe('The count includes every event received up to this time'),
    })
    .meta({ id: 'SegmentFromReport' }),
);

export const recipientsQuery = z.object({
  id: queryId,
  state: z.enum(RECIPIENT_STATES).optional(),
  format: z.enum(['json', 'csv']).optional().describe('csv: all recipients; limit and offset have no effect'),
  raw: rawQuery,
  ...paging,
});
/** The number of all items, and the part of them that the answer has. */
const part = { total: z.int(), limit: z.int(), offset: z.int() };
const recipient = z
  .object({
    chat_id: z.int(),
    state: z.enum(RECIPIENT_STATES),
    reason: z.string().nullable(),
    date: localTime.nullable(),
  })
  .meta({ id: 'Recipient' });
export const recipientsAnswer = answer(z.object({ items: z.array(recipient), ...part }).meta({ id: 'Recipients' }));

export const broadcastAnswer = answer(broadcast);
export const deletedAnswer = answer(z.object({ id }).meta({ id: 'DeletedBroadcast' }));
export const changeAnswer = broadcastAnswer.extend({
  warnings: z.array(warning).optional().describe('Values that were accepted but are probably mistakes; absent: none'),
});
export const broadcastsAnswer = answer(
  z
    .object({
      items: z.array(broadcast),
      ...part,
      data_as_of: timestamp.describe('The answer includes everything recorded up to this time'),
    })
    .meta({ id: 'Broadcasts' }),
);

/** Types for clients in TypeScript. If an answer changes, the type check of these clients fails. */
export type BroadcastAnswer = z.infer<typeof broadcastAnswer>['data'];
export type BroadcastsAnswer = z.infer<typeof broadcastsAnswer>['data'];
export type RecipientsAnswer = z.infer<typeof recipientsAnswer>['data'];
