import type { FindUnknownTargets, ReceiveTargetEvents } from '../../commands/intake/receive.ts';
import { type TargetEvent, targetEvent } from '../../domain/intake/elements.ts';
import type { Problem } from '../../domain/problem.ts';
import { property, safeInteger } from '../../domain/storable-json.ts';
import { botOf } from '../access.ts';
import { invalid, TargetValidationError } from '../api-errors.ts';
import { type AnyRoute, route } from '../route.ts';
import { acknowledge, receiptHeaders, type SignReceipt } from './acknowledge.ts';
import { readElements } from './read-elements.ts';
import { acceptedWithReport, type ReportUnknownUsers, reportQuery } from './report-unknown-users.ts';
import { oneOrMany } from './schemas.ts';

const MAX_EVENTS = 100;

/** POST /v1/send-target (interface.md): goal completions. Its validation errors have their own form. */
export function sendTarget(
  receive: ReceiveTargetEvents,
  findUnknown: FindUnknownTargets,
  unknownUsers: ReportUnknownUsers,
  now: () => number,
  sign: SignReceipt,
): AnyRoute {
  const schema = targetEvent(now);

  /** A problem for each element with an unknown goal. Elements may be wrong in other fields too. */
  async function unknownTargets(bot: string, body: unknown): Promise<Problem[]> {
    const named = (Array.isArray(body) ? body : [body]).map((element) => safeInteger(property(element, 'target_id')));
    const ids = named.map((id) => (id !== undefined && id > 0 ? id : undefined));
    const unknown = await findUnknown(
      bot,
      ids.filter((id) => id !== undefined),
    );
    return ids.flatMap((id, index) => (id !== undefined && unknown.has(id) ? [unknownTarget(body, index)] : []));
  }

  return route({
    method: 'POST',
    url: '/v1/send-target',
    operationId: 'sendTarget',
    summary: `Send one target event, or an array of 1 to ${MAX_EVENTS}: all are accepted or none`,
    tag: 'Intake',
    access: { resource: 'required', withoutDatabase: true },
    body: oneOrMany(schema, MAX_EVENTS),
    async check(body, request) {
      const { elements, problems } = readElements(schema, MAX_EVENTS, body);
      // An element that is no object has no fields to name.
      if (problems.some(({ path }) => /^\d*$/.test(path))) throw invalid(problems);
      if (problems.length > 0) {
        const unknown = await unknownTargets(botOf(request).public_key, body);
        throw new TargetValidationError([...problems, ...unknown]);
      }
      // Problems that are found later have paths that depend on the form.
      return Array.isArray(body) ? [...elements] : elements[0]!;
    },
    query: reportQuery,
    answer: acceptedWithReport,
    idempotent: true,
    headers: receiptHeaders,
    async handle({ request, query, body }) {
      const events: readonly TargetEvent[] = Array.isArray(body) ? body : [body];
      const done = await acknowledge(sign, request, 'send-target', async (stamp) => {
        const received = await receive(botOf(request).public_key, events, stamp);
        if (!('unknown' in received)) return received;
        throw new TargetValidationError(received.unknown.map((index) => unknownTarget(body, index)));
      });
      return { ...done, ...(await unknownUsers(request, query, () => events.map(({ user_id }) => user_id))) };
    },
  });
}

function unknownTarget(body: unknown, index: number): Problem {
  return { path: Array.isArray(body) ? `${index}.target_id` : 'target_id', message: 'Unknown target_id' };
}
