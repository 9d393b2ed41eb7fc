import type { FastifyReply, FastifyRequest } from 'fastify';
import { createReferralCode, type ReferralMeta } from '../../commands/referral/attribute-referral.ts';
import type { BotRow } from '../../queries/catalog/bots.ts';
import { botOf } from '../access.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import { changeWithNewCode, deadlineOf, type ReferralChanges } from './changes.ts';
import { linkOf } from './codes.ts';
import { createdCode, userBody, userQuery } from './schemas.ts';

type Named = Pick<BotRow, 'username'>;

/** POST and GET /v1/referral/create-code: each call makes a new code of the user. */
export function createCode(changes: ReferralChanges): AnyRoute[] {
  const shared = {
    url: '/v1/referral/create-code',
    tag: 'Referrals',
    access: { resource: 'required' },
    answer: createdCode,
    idempotent: true,
  } as const;
  return [
    route({
      ...shared,
      method: 'POST',
      operationId: 'createReferralCode',
      summary: 'A new referral code of a user; old ones stay valid',
      body: userBody,
      handle: ({ request, reply, body }) => create(changes, request, reply, body.user_id),
    }),
    route({
      ...shared,
      method: 'GET',
      operationId: 'createReferralCodeByGet',
      summary: 'The same by GET: each request makes a new code',
      query: userQuery,
      handle: ({ request, reply, query }) => create(changes, request, reply, query.user_id),
    }),
  ];
}

async function create(
  changes: ReferralChanges,
  request: FastifyRequest,
  reply: FastifyReply,
  userId: number,
): Promise<object> {
  void reply.header('cache-control', 'no-store');
  const { public_key: bot, username } = botOf(request);
  const deadline = deadlineOf(changes);
  return underKey(
    request,
    'referral/create-code',
    async (stamp, first) => {
      // The link of a repeat has the username that the bot had at the first request.
      const named = (first?.command?.answer as Named | undefined) ?? { username };
      const append = (meta: ReferralMeta) => createReferralCode(changes.context, { bot, userId }, meta);
      const command = stamp && { ...stamp, answer: named };
      return {
        ...(await changeWithNewCode(changes, request, { append, command, deadline, isRepeat: first !== null })),
        named,
      };
    },
    async ({ code, repeated, named }) => {
      const link = linkOf((repeated?.command?.answer as Named | undefined) ?? named, code);
      return { ok: true, data: { code, link } };
    },
  );
}
