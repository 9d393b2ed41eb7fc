import type { ReceiveCustomEvents } from '../../commands/intake/receive-custom-events.ts';
import { botOf, principalOf } from '../access.ts';
import { LARGE_BODY } from '../body.ts';
import { invalid } from '../errors.ts';
import { idempotently } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import { readElements } from './elements.ts';
import { accepted, type CustomEvent, customEvent, oneOrMany } from './schemas.ts';
import { usualCustomEvent } from './usual-event.ts';

const MAX_EVENTS = 1000;

/** POST /v1/send-event (interface.md): custom events, all or none, acknowledged when the log has them. */
export function sendEvent(receive: ReceiveCustomEvents, now: () => number): AnyRoute {
  const schema = customEvent(now);
  return route({
    method: 'POST',
    url: '/v1/send-event',
    operationId: 'sendEvent',
    summary: `Send one custom event, or an array of 1 to ${MAX_EVENTS}: all are accepted or none`,
    tag: 'Intake',
    access: { resource: 'required', withoutDatabase: true },
    bodyLimit: LARGE_BODY,
    body: oneOrMany(schema, MAX_EVENTS),
    check(body) {
      const receipt = now();
      const usual = (element: unknown): CustomEvent | null => usualCustomEvent(element, receipt);
      const { elements, problems } = readElements(schema, MAX_EVENTS, body, usual);
      if (problems.length > 0) throw invalid(problems);
      // The form matters for the key of a name that is refused later.
      return Array.isArray(body) ? [...elements] : elements[0]!;
    },
    answer: accepted,
    idempotent: true,
    async handle({ request, body }) {
      return idempotently(request, 'send-event', { ok: true }, (stamp) =>
        receive(botOf(request).public_key, body, { keyId: principalOf(request).keyId, command: stamp }),
      );
    },
  });
}
