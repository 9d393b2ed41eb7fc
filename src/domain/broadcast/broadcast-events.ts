import { z } from 'zod';
import { eventType } from '../event-type.ts';
import { sealedSecret } from '../sealing.ts';

/** The methods of the platform's bot interface that broadcasts send by (interface.md, "Message content by type"). */
export const MESSAGE_TYPES = [
  'sendMessage',
  'sendPhoto',
  'sendVideo',
  'sendDocument',
  'sendAnimation',
  'sendAudio',
  'sendVoice',
  'sendMediaGroup',
] as const;

export type MessageType = (typeof MESSAGE_TYPES)[number];

/**
 * Events of broadcasts and their lifecycle, on `broadcast-<bot>/<id>`. All times are milliseconds since 1970 UTC; `at` is
 * the time of recording.
 */

const id = z.number().int().positive();
const at = z.number().int();
const time = z.number().int();

/** Message fields by the platform's names, checked (`message.ts`): plain JSON without numbers. */
const message = z.record(z.string(), z.json());
export const broadcastSettings = z.object({
  /** Absent: false. */
  track_clicks: z.boolean().optional(),
  /** Messages a second. */
  intervalCap: z.number().int(),
  rateLimitOnError: z.object({
    stop: z.boolean(),
    /** Milliseconds. */
    extraDelay: z.number().int(),
  }),
});

/** Variants of the message. With some, `message` is `{}`. */
export const broadcastVariant = z.object({
  name: z.string(),
  /** A whole percentage. */
  share: z.number().int().positive(),
  message,
});

const trackedClicks = z.object({
  /** Of click tokens. */
  key: sealedSecret,
  /** By the numbers that tokens name. */
  links: z.array(
    z.object({
      target: z.string(),
      /** The index of its variant; null: the broadcast has none. */
      variant: z.number().int().nonnegative().nullable(),
    }),
  ),
});

const content = z.object({
  name: z.string().nullable(),
  message,
  /** None: absent or empty. */
  variants: z.array(broadcastVariant).optional(),
  /** The audience as JSON text: with the digits that its numbers were sent with. */
  segmentations: z.string(),
  settings: broadcastSettings,
  /** When to start; null: at once after the activation. */
  date_send: time.nullable(),
});

export const broadcastCreated = eventType(
  'broadcast_created',
  1,
  content.extend({ id, type: z.enum(MESSAGE_TYPES), at }),
);
/**
 * Fields that are present replace the broadcast's fields, each as a whole. A message takes the variants away, and
 * variants the message. Another type takes both away, unless the event has the message or the variants of that type.
 */
export const broadcastSaved = eventType(
  'broadcast_saved',
  1,
  content.partial().extend({ id, type: z.enum(MESSAGE_TYPES).optional() }),
);
/** Into the archive, or out of it. A launch also takes it out. */
export const broadcastArchived = eventType('broadcast_archived', 1, z.object({ id, archived: z.boolean(), at }));
/** The draft is gone. No other broadcast gets its id. */
export const broadcastDeleted = eventType('broadcast_deleted', 1, z.object({ id, at }));
/**
 * To 1. The first launch is 1; each later one sends to recipients that were never attempted. `date_send`: not before; null:
 * at once, also if the date of the broadcast is past.
 */
export const broadcastActivated = eventType(
  'broadcast_activated',
  1,
  z.object({
    id,
    launch: z.number().int().positive(),
    date_send: time.nullable(),
    /** The id under which it counts against the owner’s broadcasts of the month (`take-quota.ts`); null: a later launch. */
    activation: z.uuid().nullable(),
    at,
  }),
);
/** A saved segment with the conditions that its stream has up to a revision. */
const savedSegmentRevision = z.object({ saved_segment_id: id, revision: z.number().int().positive() });
/**
 * To 6: the audience is being resolved, with these conditions of the saved segments that it names; absent: it names none.
 * A worker that resumes after another's crash, and an audit, find them in the log.
 */
export const broadcastResolutionStarted = eventType(
  'broadcast_resolution_started',
  1,
  z.object({ id, saved_segments: z.array(savedSegmentRevision).optional(), at }),
);
/** To 7. All `count` recipients are in the stream `audience-<bot>/<id>`. */
export const broadcastAudienceFrozen = eventType(
  'broadcast_audience_frozen',
  1,
  z.object({ id, count: z.number().int().nonnegative(), at }),
);
/** To 2. */
export const broadcastSendingStarted = eventType(
  'broadcast_sending_started',
  1,
  z.object({
    id,
    launch: z.number().int().positive(),
    /** Absent: the launch tracks no clicks. */
    clicks: trackedClicks.optional(),
    at,
  }),
);
/** From 1 back to the status before its activation, 0 or 4; from 6, 7 and 2 to 8. */
export const broadcastCancelRequested = eventType('broadcast_cancel_requested', 1, z.object({ id, at }));
/** To 4; `error` is the reason, unless the owner has cancelled. Recipients that were never attempted are cancelled. */
export const broadcastStopped = eventType('broadcast_stopped', 1, z.object({ id, error: z.string().nullable(), at }));
/** To 3: all recipients were attempted. */
export const broadcastFinished = eventType('broadcast_finished', 1, z.object({ id, at }));
/** To 5, with the reason. Recipients that were never attempted are cancelled. */
export const broadcastFailed = eventType('broadcast_failed', 1, z.object({ id, error: z.string(), at }));
/** Changes nothing. It carries the key by which a repeat of the request is recognised. */
export const broadcastLeft = eventType('broadcast_left', 1, z.object({ id }));
