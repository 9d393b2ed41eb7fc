import type { z } from 'zod';
import { previewMessage } from '../../domain/broadcast/preview.ts';
import type { TemplateUser } from '../../domain/broadcast/template.ts';
import type { Problem } from '../../domain/problem.ts';
import { Rejection } from '../../domain/rejection.ts';
import { type JsonObject, property, safeInteger } from '../../domain/storable-json.ts';
import type { Reader } from '../../projections/reader.ts';
import { type RecipientUsersSource, recipientUsers } from '../../queries/broadcast/recipient-users.ts';
import { firstUser } from '../../queries/users/users-of-bot.ts';
import { botOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { type AnyRoute, route } from '../route.ts';
import { previewAnswer, previewBody } from './composing-schemas.ts';
import { objectOf, parseType } from './content.ts';

/** The user of a preview if the bot has no users. */
const INVENTED = {
  user_id: 4242,
  first_name: 'Ada',
  last_name: 'Lovelace',
  full_name: 'Ada Lovelace',
  username: 'ada',
  language_code: 'en',
  user_status: 'active',
};

/** POST /v1/broadcast/preview (decisions.md#message-preview): a message as one user would get it. */
export function preview(db: Reader): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/broadcast/preview',
    operationId: 'previewBroadcast',
    summary: 'A message as a user would get it, with its entities and its problems',
    tag: 'Broadcasts',
    access: { resource: 'required', premium: true },
    body: previewBody as z.ZodType<JsonObject>,
    check: objectOf,
    answer: previewAnswer,
    exact: true,
    async handle({ request, body }) {
      const { bot_id: botId, timezone } = botOf(request);
      const problems: Problem[] = [];
      const type = parseType(body, problems);
      const asked = userIdOf(body, problems);
      if (type === undefined || problems.length > 0) throw invalid(problems);
      const source = { ...(await db.at('users', 'referral')), botId, timezone };
      const id = asked ?? (await firstUser(source, botId));
      const fields = id === null ? null : await fieldsOf(source, id);
      if (fields === null && asked !== null) throw new Rejection('not_found', 'user_id', 'the bot has no such user');
      const user = fields ?? INVENTED;
      return {
        ok: true,
        data: { user: shown(user, fields === null), ...previewMessage(type, property(body, 'message') ?? {}, user) },
      };
    },
  });
}

/** Null: the body names no user. */
function userIdOf(body: JsonObject, problems: Problem[]): number | null {
  const given = property(body, 'user_id');
  if (given === undefined) return null;
  const id = safeInteger(given);
  if (id !== undefined && id > 0) return id;
  problems.push({ path: 'user_id', message: 'must be a positive integer' });
  return null;
}

/** Null: the bot has no such user, or the user was erased. */
async function fieldsOf(source: RecipientUsersSource, id: number): Promise<TemplateUser | null> {
  const user = (await recipientUsers(source, [id])).get(id);
  return user === undefined || user.status === 'erased' ? null : user.fields;
}

function shown({ user_id, first_name, username }: TemplateUser, invented: boolean): object {
  return { user_id, first_name: first_name ?? null, username: username ?? null, invented };
}
