import type { FastifyReply, FastifyRequest } from 'fastify';
import { createReferralCode } from '../../commands/create-referral-code.ts';
import type { BotRow } from '../../queries/catalog/bots.ts';
import { botOf } from '../access.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import { changeWithNewCode, type ReferralChanges } from './changes.ts';
import { linkOf } from './link.ts';
import { createdCode, userBody, userQuery } from './schemas.ts';

/** POST and GET /v1/referral/create-code: each call makes a new code for the user. */
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
  const bot = botOf(request);
  const { username } = bot;
  return underKey(
    request,
    'referral/create-code',
    (stamp) =>
      changeWithNewCode(
        changes,
        request,
        (meta) => createReferralCode(changes.context, { bot: bot.public_key, userId }, meta),
        stamp && { ...stamp, answer: { username } },
      ),
    async ({ code, repeated, lagging }) => {
      const linked = (repeated?.command?.answer as Pick<BotRow, 'username'> | undefined) ?? bot;
      return { ok: true, data: { code, link: linkOf(linked, code) }, ...(lagging ? { lagging } : {}) };
    },
  );
}
