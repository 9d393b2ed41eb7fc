import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type CommandContext, load } from '../../commands/decide-and-append.ts';
import { botPause } from '../../domain/broadcast/bot-pause.ts';
import { missingContent, parseMessage } from '../../domain/broadcast/message.ts';
import { type Verdict, verdictOf } from '../../domain/broadcast/sending-answer.ts';
import { type Message, prepareMessage } from '../../domain/broadcast/sending-message.ts';
import { TemplateError } from '../../domain/broadcast/template.ts';
import type { Problem } from '../../domain/problem.ts';
import { type JsonObject, property, safeInteger } from '../../domain/storable-json.ts';
import { botSendingStream } from '../../domain/streams.ts';
import type { BotApi } from '../../platform/bot-api.ts';
import type { Reader } from '../../projections/reader.ts';
import { recipientUsers } from '../../queries/broadcast/recipient-users.ts';
import { findSendingBot } from '../../queries/catalog/bots.ts';
import { botOf } from '../access.ts';
import { invalid, unavailable } from '../api-errors.ts';
import { callerGone } from '../caller-gone.ts';
import { type AnyRoute, route } from '../route.ts';
import { type OUTCOMES, testSendAnswer, testSendBody } from './composing-schemas.ts';
import { objectOf, parseType } from './content.ts';
import { createTestTurns, tooSoon } from './test-turns.ts';

export interface TestSendOptions {
  readonly context: CommandContext;
  readonly db: Reader;
  readonly botApi: Pick<BotApi, 'call'>;
}

interface Outcome {
  readonly outcome: (typeof OUTCOMES)[number];
  readonly reason: string | null;
}

/** POST /v1/broadcast/test-send (decisions.md#test-send): sends a message to one chat now. It appends nothing. */
export function testSend({ context, db, botApi }: TestSendOptions): AnyRoute {
  const { log, sources } = context;
  const turns = createTestTurns({ now: sources.now, elapsed: () => performance.now() });
  return route({
    method: 'POST',
    url: '/v1/broadcast/test-send',
    operationId: 'testSend',
    summary: 'Send a message to one chat at once; it counts nowhere',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    body: testSendBody as z.ZodType<JsonObject>,
    check: objectOf,
    answer: testSendAnswer,
    async handle({ request, reply, body }) {
      const gone = callerGone(reply);
      const { public_key: bot } = botOf(request);
      const { message, chatId } = parsed(body);
      const token = (await findSendingBot(await db.at('catalog'), bot))?.token ?? null;
      if (token === null)
        throw invalid([
          { path: '', message: 'the bot has no token to send with: set it by botledger bot set --token-file' },
        ]);
      const paused = (await load(log, botPause, botSendingStream(bot))).state;
      const parameters = await parametersFor(request, message, chatId);
      if (parameters === null) return answered({ outcome: 'refused', reason: 'the user was erased' });
      if (gone.aborted) throw unavailable('the caller has gone');
      const end = turns.take(bot, message.units, paused);
      try {
        const verdict = verdictOf(await botApi.call(token, message.method, { chat_id: chatId, ...parameters }));
        if (verdict.type === 'limited') turns.rest(bot, verdict.retryAfterMs);
        return answered(outcomeOf(verdict));
      } finally {
        end();
      }
    },
  });

  /** Null: the user was erased. @throws ApiError 400: the template fails for this user */
  async function parametersFor(request: FastifyRequest, message: Message, chatId: number): Promise<object | null> {
    const { bot_id: botId, timezone } = botOf(request);
    const source = { ...(await db.at('users', 'referral')), botId, timezone };
    const user = (await recipientUsers(source, [chatId])).get(chatId);
    if (user?.status === 'erased') return null;
    try {
      return message.parameters(user?.fields ?? {}, new Map());
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw invalid([{ path: 'message', message: `the template failed: ${error.message}` }]);
    }
  }
}

const answered = (data: Outcome): object => ({ ok: true, data });

/** @throws ApiError 400 */
function parsed(body: JsonObject): { readonly message: Message; readonly chatId: number } {
  const problems: Problem[] = [];
  const type = parseType(body, problems);
  const chatId = safeInteger(property(body, 'chat_id'));
  if (chatId === undefined || chatId === 0)
    problems.push({ path: 'chat_id', message: 'must be the id of a chat: an integer other than 0' });
  if (type === undefined || chatId === undefined) throw invalid(problems);
  const content = parseMessage(type, property(body, 'message') ?? {}, 'message', problems);
  const missing = missingContent(type, content, 'message');
  if (problems.length === 0 && missing !== undefined) problems.push(missing);
  if (problems.length > 0) throw invalid(problems);
  return { message: prepareMessage(type, content, false), chatId };
}

/** @throws ApiError 429 */
function outcomeOf(verdict: Verdict): Outcome {
  switch (verdict.type) {
    case 'done':
      return { outcome: 'delivered', reason: null };
    case 'refused':
    case 'migrated':
    case 'unauthorized':
      return { outcome: 'refused', reason: verdict.reason };
    case 'unknown':
    case 'not_sent':
      return { outcome: verdict.type, reason: verdict.reason };
    case 'limited':
      throw tooSoon('the platform asks to slow down', verdict.retryAfterMs);
  }
}
