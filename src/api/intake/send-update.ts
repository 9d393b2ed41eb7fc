import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ReceiveUpdates } from '../../commands/intake/receive.ts';
import type { UpdateItem } from '../../domain/intake/intake-events.ts';
import { parseUpdate } from '../../platform/update.ts';
import { botOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { LARGE_BODY } from '../body.ts';
import { type AnyRoute, route } from '../route.ts';
import { type Acknowledged, acknowledge, receiptHeaders, type SignReceipt } from './acknowledge.ts';
import { readElements } from './read-elements.ts';
import { accepted, acceptedWithReceipt, forwardedUpdate, webhookUpdate } from './schemas.ts';

const MAX_UPDATES = 1000;

type Forwarded = z.output<ReturnType<typeof forwardedUpdate>>;

/**
 * POST /v1/send-update and /v1/send-batch-update (decisions.md#platform-updates): platform updates that the bot forwards.
 */
export function sendUpdate(receive: ReceiveUpdates, now: () => number, sign: SignReceipt): AnyRoute[] {
  const schema = forwardedUpdate(now);
  const deps = { receive, sign };
  const shared = {
    method: 'POST',
    tag: 'Intake',
    access: { resource: 'required', withoutDatabase: true },
    answer: acceptedWithReceipt,
    idempotent: true,
    headers: receiptHeaders,
  } as const;
  return [
    route({
      ...shared,
      url: '/v1/send-update',
      operationId: 'sendUpdate',
      summary: 'Forward one update of the messaging platform',
      body: schema,
      handle: ({ request, body }) => forward(deps, 'send-update', request, [body]),
    }),
    route({
      ...shared,
      url: '/v1/send-batch-update',
      operationId: 'sendBatchUpdate',
      summary: `Forward 1 to ${MAX_UPDATES} updates: all are accepted or none`,
      bodyLimit: LARGE_BODY,
      body: schema.array().min(1).max(MAX_UPDATES),
      check(body) {
        if (!Array.isArray(body)) throw invalid([{ path: '', message: 'must be an array of updates' }]);
        const { elements, problems } = readElements(schema, MAX_UPDATES, body);
        if (problems.length > 0) throw invalid(problems);
        return [...elements];
      },
      handle: ({ request, body }) => forward(deps, 'send-batch-update', request, body),
    }),
  ];
}

function forward(
  { receive, sign }: { readonly receive: ReceiveUpdates; readonly sign: SignReceipt },
  name: string,
  request: FastifyRequest,
  updates: readonly Forwarded[],
): Promise<Acknowledged> {
  const { public_key, username } = botOf(request);
  const items = updates
    .map(({ update, date }) => parseUpdate(update, { requestDate: date, username }))
    .filter((item): item is UpdateItem => item !== null);
  return acknowledge(sign, request, name, (stamp) => receive(public_key, items, stamp));
}

/**
 * POST /v1/webhook/<bot_public_key> (decisions.md#platform-updates): the platform calls it directly, with the bot's secret
 * instead of an API key. It answers 200 to any body with an `update_id`, because the platform repeats a refused update.
 */
export function webhook(receive: ReceiveUpdates): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/webhook/:bot_public_key',
    operationId: 'webhook',
    summary: "The platform's webhook: set this URL with the bot's secret token",
    tag: 'Intake',
    access: { resource: 'webhook', withoutDatabase: true },
    params: z.object({ bot_public_key: z.string() }),
    body: webhookUpdate,
    answer: accepted,
    async handle({ request, body }) {
      const { public_key, username } = botOf(request);
      const item = parseUpdate(body, { username });
      if (item !== null) await receive(public_key, [item], {});
      return { ok: true };
    },
  });
}
