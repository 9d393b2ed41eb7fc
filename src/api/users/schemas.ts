import { z } from 'zod';
import { RECIPIENT_STATES } from '../../queries/broadcast/recipients.ts';
import { USER_ORDERS } from '../../queries/users/search-users.ts';
import { page, search } from '../page.ts';
import { userPageQuery, userQuery } from '../referral/schemas.ts';
import { reportUser } from '../reports/users-schemas.ts';
import { answer, timestamp } from '../shapes.ts';

/** Schemas of the users of a bot (decisions.md#users-of-bot). */

const AS_OF = 'What was received up to then has been counted';

export const listQuery = z.object({
  search,
  order: z.enum(USER_ORDERS).default('newest').describe('Default newest: by date_create'),
  ...page,
});

export const usersAnswer = answer(
  z
    .object({
      items: z.array(reportUser),
      total: z.int().describe('Without limit and offset'),
      data_as_of: timestamp.describe(AS_OF),
    })
    .meta({ id: 'BotUsers' }),
);

export const getQuery = userQuery;

export const userAnswer = answer(
  reportUser
    .extend({
      is_premium: z.boolean().nullable(),
      gender: z.string().nullable(),
      timezone: z.string().nullable(),
      custom_fields: z.record(z.string(), z.unknown()),
      addition_fields: z.record(z.string(), z.string()).describe('Of the first visit: start_param and utm_*'),
      referral: z
        .object({ referrer_id: z.int(), code: z.string().nullable(), date: timestamp })
        .nullable()
        .describe('Who brought the user'),
      referrals: z.int().describe('Users that they brought'),
      erased: z.boolean().describe('Whether the personal data were erased'),
      data_as_of: timestamp.describe(AS_OF),
    })
    .meta({ id: 'BotUser' }),
);

export const broadcastsQuery = userPageQuery;

const received = z
  .object({
    broadcast_id: z.int(),
    name: z.string().nullable(),
    state: z.enum(RECIPIENT_STATES),
    reason: z.string().nullable().describe('Why it was not delivered'),
    date: timestamp.nullable().describe('Of the outcome; null: there is none yet'),
    clicks: z.int().describe('Clicks of the user on its tracked links'),
    first_click: timestamp.nullable(),
  })
  .meta({ id: 'ReceivedBroadcast' });

export const broadcastsAnswer = answer(
  z.object({ items: z.array(received), data_as_of: timestamp.describe(AS_OF) }).meta({ id: 'ReceivedBroadcasts' }),
);

/** @public For a client in TypeScript. */
export type BotUser = z.infer<typeof userAnswer>['data'];
/** @public */
export type BotUsers = z.infer<typeof usersAnswer>['data'];
/** @public */
export type ReceivedBroadcasts = z.infer<typeof broadcastsAnswer>['data'];
