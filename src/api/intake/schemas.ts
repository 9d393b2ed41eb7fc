import { z } from 'zod';
import { integer, moment, NOT_AN_OBJECT, optional } from '../../domain/intake/elements.ts';
import { parseIso8601, YEARS } from '../../domain/intake/moment.ts';
import { misdatedField } from '../../platform/update.ts';
import { receiptField } from './acknowledge.ts';

/** Shapes of the bodies of intake: updates of the platform, and lists of elements (domain/intake/elements.ts). */

/** The platform's Update object, unchanged. Only its id is required. */
const platformUpdate = z
  .looseObject({ update_id: integer(0, 'must be a non-negative integer') }, NOT_AN_OBJECT)
  .superRefine((update, context) => {
    const path = misdatedField(update);
    if (path !== undefined) context.addIssue({ code: 'custom', path: [...path], message: YEARS });
  })
  .meta({ id: 'Update', description: 'https://core.telegram.org/bots/api#update' });

/** The body of the platform's own call: any object with an id, since the platform repeats a refused call. */
export const webhookUpdate = z
  .looseObject({ update_id: z.unknown().refine((id) => id !== undefined, 'is required') }, NOT_AN_OBJECT)
  .meta({ id: 'WebhookUpdate', description: 'https://core.telegram.org/bots/api#update' });

/** One element or an array of them. */
export const oneOrMany = <S extends z.ZodType>(schema: S, max: number) =>
  z.union([schema, z.array(schema).min(1).max(max)]);

export const accepted = z.object({ ok: z.literal(true) }).meta({ id: 'Accepted', example: { ok: true } });
export const acceptedWithReceipt = z
  .object({ ok: z.literal(true), ...receiptField })
  .meta({ id: 'AcceptedUpdates', example: { ok: true } });

/** One platform update as a client forwards it, with a date for updates that have none (decisions.md#platform-updates). */
export const forwardedUpdate = (now: () => number) =>
  z
    .object(
      {
        date: optional(moment(parseIso8601, 'an ISO 8601 date and time', now)).describe(
          'For updates without a date, such as callbacks. Default: the time of receipt',
        ),
        update: platformUpdate,
      },
      NOT_AN_OBJECT,
    )
    .meta({
      id: 'ForwardedUpdate',
      example: {
        update: {
          update_id: 1,
          message: {
            message_id: 1,
            date: 1767225600,
            chat: { id: 4242, type: 'private' },
            from: { id: 4242, is_bot: false, first_name: 'Ada' },
            text: '/start utmsource-ads',
            entities: [{ type: 'bot_command', offset: 0, length: 6 }],
          },
        },
      },
    });
