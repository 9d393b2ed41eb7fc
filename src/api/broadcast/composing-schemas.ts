import { z } from 'zod';
import { ENTITY_TYPES } from '../../domain/broadcast/markup-entity.ts';
import { answer, problem } from '../shapes.ts';
import { broadcastId, message, messageType, resource, segmentations } from './schemas.ts';

/** Shapes of the endpoints for composing a broadcast (decisions.md#composing). The shapes of bodies serve OpenAPI only. */

const field = z
  .object({ name: z.string(), type: z.string(), operators: z.array(z.string()) })
  .meta({ id: 'AudienceField' });
export const fieldsAnswer = answer(
  z
    .object({
      users: z.array(field).describe('For user_conditions; below a name that ends in .* there is any key'),
      events: z.array(field).describe('For the conditions of event_filters'),
      templates: z.array(z.string()).describe('What a template can name'),
    })
    .meta({ id: 'BroadcastFields' }),
);

export const MAX_SAMPLE = 20;
export const DEFAULT_SAMPLE = 5;
export const audienceSizeBody = z
  .object({
    ...resource,
    segmentations,
    task_id: broadcastId.nullish().describe('The draft whose uploaded lists custom segments name'),
    sample: z.int().min(0).max(MAX_SAMPLE).nullish().describe(`How many chats to name; default ${DEFAULT_SAMPLE}`),
  })
  .meta({ id: 'AudienceSizeRequest' });
const chat = z
  .object({
    chat_id: z.int(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    username: z.string().nullable(),
  })
  .meta({ id: 'AudienceChat' });
export const audienceSizeAnswer = answer(
  z
    .object({
      count: z.int(),
      sample: z.array(chat),
      data_as_of: z.string().describe('How far the data were applied; the launch resolves the audience again'),
    })
    .meta({ id: 'AudienceSize' }),
);

const typed = { ...resource, type: messageType, message };
export const previewBody = z
  .object({
    ...typed,
    user_id: z.int().positive().nullish().describe("The user to render it for; default the bot's first user"),
  })
  .meta({ id: 'PreviewBroadcastRequest' });
const entity = z
  .object({
    type: z.enum(ENTITY_TYPES),
    offset: z.int().describe('UTF-16 units'),
    length: z.int(),
    url: z.string().optional(),
    language: z.string().optional(),
  })
  .meta({ id: 'MessageEntity' });
const shownText = z
  .object({
    text: z.string().describe('Without markup'),
    entities: z.array(entity),
    characters: z.int().describe('Code points without markup and the blanks around it'),
    limit: z.int(),
  })
  .meta({ id: 'PreviewText' })
  .nullable();
const user = z
  .object({
    user_id: z.int(),
    first_name: z.string().nullable(),
    username: z.string().nullable(),
    invented: z.boolean().describe('The bot has no users yet'),
  })
  .meta({ id: 'PreviewUser' });
const media = z.object({ type: z.string(), media: z.string(), caption: shownText }).meta({ id: 'PreviewMedia' });
const button = z
  .object({ text: z.string(), action: z.string().nullable(), value: z.string().nullable() })
  .meta({ id: 'PreviewButton' });
export const previewAnswer = answer(
  z
    .object({
      user,
      text: shownText,
      caption: shownText,
      media: z.array(media),
      buttons: z.array(z.array(button)),
      problems: z.array(problem).describe('What create or the platform would refuse'),
    })
    .meta({ id: 'BroadcastPreview' }),
);

export const OUTCOMES = ['delivered', 'refused', 'unknown', 'not_sent'] as const;
export const testSendBody = z
  .object({
    ...typed,
    chat_id: z.int().describe('Groups and channels are negative'),
  })
  .meta({ id: 'TestSendRequest' });
export const testSendAnswer = answer(
  z
    .object({
      outcome: z.enum(OUTCOMES),
      reason: z.string().nullable().describe("The platform's words, or why there is no answer"),
    })
    .meta({ id: 'TestSendOutcome' }),
);
