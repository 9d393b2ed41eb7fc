import type { ReceiveTargetEvents } from '../../commands/receive-target-events.ts';
import { botOf, principalOf } from '../access.ts';
import { invalid, TargetValidationError } from '../errors.ts';
import { idempotently } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import { readElements } from './elements.ts';
import { accepted, oneOrMany, type TargetEvent, targetEvent } from './schemas.ts';

const MAX_EVENTS = 100;

/** POST /v1/send-target (interface.md): goal completions. Its validation errors have a form of their own. */
export function sendTarget(receive: ReceiveTargetEvents, now: () => number): AnyRoute {
  const schema = targetEvent(now);
  return route({
    method: 'POST',
    url: '/v1/send-target',
    operationId: 'sendTarget',
    summary: `Send one target event, or an array of 1 to ${MAX_EVENTS}: all are accepted or none`,
    tag: 'Intake',
    access: { resource: 'required', withoutDatabase: true },
    body: oneOrMany(schema, MAX_EVENTS),
    check(body) {
      const { elements, problems } = readElements(schema, MAX_EVENTS, body);
      // What is no object has no fields to name.
      if (problems.some(({ path }) => /^\d*$/.test(path))) throw invalid(problems);
      if (problems.length > 0) throw new TargetValidationError(problems);
      // The form matters for the keys of what is found wrong later.
      return Array.isArray(body) ? [...elements] : elements[0]!;
    },
    answer: accepted,
    idempotent: true,
    async handle({ request, body }) {
      const events: readonly TargetEvent[] = Array.isArray(body) ? body : [body];
      return idempotently(request, 'send-target', { ok: true }, async (stamp) => {
        const received = await receive(botOf(request).public_key, events, {
          keyId: principalOf(request).keyId,
          command: stamp,
        });
        if (!('unknown' in received)) return received;
        throw new TargetValidationError(
          received.unknown.map((index) => ({
            path: Array.isArray(body) ? `${index}.target_id` : 'target_id',
            message: 'Unknown target_id',
          })),
        );
      });
    },
  });
}
