import { z } from 'zod';
import { MESSAGE_TYPES } from '../../domain/broadcast/broadcast-events.ts';
import { ENTITY_TYPES } from '../../domain/broadcast/markup-entity.ts';
import { answer, broadcastId, message, resource, segmentations } from './schemas.ts';

/** Shapes of the endpoints for composing a broadcast (decisions.md#composing). The shapes of bodies serve OpenAPI only. */

const field = z.object({ name: z.string(), type: z.string(), operators: z.array(z.string()) });
export const fieldsAnswer = answer(
  z.object({
    users: z.array(field).describe('For user_conditions; below a name that ends in .* there is any key'),
    events: z.array(field).describe('For the conditions of event_filters'),
    templates: z.array(z.string()).describe('What a template can name'),
  }),
);

export const MAX_SAMPLE = 20;
export const DEFAULT_SAMPLE = 5;
export const audienceSizeBody = z.object({
  ...resource,
  segmentations,
  task_id: broadcastId.nullish().describe('The draft whose uploaded lists custom segments name'),
  sample: z.int().min(0).max(MAX_SAMPLE).nullish().describe(`How many chats to name; default ${DEFAULT_SAMPLE}`),
});
export const audienceSizeAnswer = answer(
  z.object({
    count: z.int(),
    sample: z.array(
      z.object({
        chat_id: z.int(),
        first_name: z.string().nullable(),
        last_name: z.string().nullable(),
        username: z.string().nullable(),
      }),
    ),
    data_as_of: z.string().describe('How far the data were applied; the launch resolves the audience again'),
  }),
);

const typed = { ...resource, type: z.enum(MESSAGE_TYPES), message };
export const previewBody = z.object({
  ...typed,
  user_id: z.int().positive().nullish().describe("The user to render it for; default the bot's first user"),
});
const shownText = z
  .object({
    text: z.string().describe('Without markup'),
    entities: z.array(
      z.object({
        type: z.enum(ENTITY_TYPES),
        offset: z.int().describe('UTF-16 units'),
        length: z.int(),
        url: z.string().optional(),
        language: z.string().optional(),
      }),
    ),
    characters: z.int().describe('Code points without markup and the blanks around it'),
    limit: z.int(),
  })
  .nullable();
const problem = z.object({ path: z.string(), message: z.string(), allowed: z.array(z.string()).optional() });
export const previewAnswer = answer(
  z.object({
    user: z.object({
      user_id: z.int(),
      first_name: z.string().nullable(),
      username: z.string().nullable(),
      invented: z.boolean().describe('The bot has no users yet'),
    }),
    text: shownText,
    caption: shownText,
    media: z.array(z.object({ type: z.string(), media: z.string(), caption: shownText })),
    buttons: z.array(
      z.array(z.object({ text: z.string(), action: z.string().nullable(), value: z.string().nullable() })),
    ),
    problems: z.array(problem).describe('What create or the platform would refuse'),
  }),
);

export const OUTCOMES = ['delivered', 'refused', 'unknown', 'not_sent'] as const;
export const testSendBody = z.object({
  ...typed,
  chat_id: z.int().describe('Groups and channels are negative'),
});
export const testSendAnswer = answer(
  z.object({
    outcome: z.enum(OUTCOMES),
    reason: z.string().nullable().describe("The platform's words, or why there is no answer"),
  }),
);
