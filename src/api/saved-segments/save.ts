import { stringify } from 'lossless-json';
import type { CommandContext } from '../../commands/decide-and-append.ts';
import { type SaveSegment, saveSegment } from '../../commands/saved-segments/save-segment.ts';
import type { Problem } from '../../domain/problem.ts';
import { savedSegment, savedSegmentNameProblem } from '../../domain/saved-segments/saved-segment.ts';
import { parseSavedConditions } from '../../domain/saved-segments/stored-conditions.ts';
import { type JsonObject, property } from '../../domain/storable-json.ts';
import { botOf, principalOf } from '../access.ts';
import { invalid } from '../api-errors.ts';
import { objectOf } from '../broadcast/content.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { access, idIn } from './reads.ts';
import { saveBody, savedAnswer } from './schemas.ts';

/** POST /v1/saved-segments/save (decisions.md#saved-segments): saves a segment under a name, or replaces a saved one. */
export function save(context: CommandContext, waitForChange: WaitForChange): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/saved-segments/save',
    operationId: 'saveSegment',
    summary: 'Save a segment: a name and conditions; or replace a saved one by its id',
    tag: 'Saved segments',
    access,
    body: saveBody,
    check: objectOf,
    answer: savedAnswer,
    idempotent: true,
    async handle({ request, body }) {
      const { public_key: bot, timezone } = botOf(request);
      const command = { bot, ...checked(body, timezone) };
      const { keyId } = principalOf(request);
      return underKey(
        request,
        'saved-segments/save',
        async (stamp, first) =>
          first === null
            ? saveSegment(context, command, { keyId, command: stamp })
            : { position: first.position, repeated: first, events: first.events.map(savedSegment.read) },
        async ({ position, events }) => {
          await waitForChange(request, position);
          return { ok: true as const, data: { saved_segment_id: events[0]!.data.saved_segment_id } };
        },
      );
    },
  });
}

/** @throws ApiError 400 with all problems */
function checked(body: JsonObject, timezone: string): Omit<SaveSegment, 'bot'> {
  const problems: Problem[] = [];
  const name = property(body, 'name');
  if (typeof name !== 'string')
    problems.push({ path: 'name', message: name === undefined ? 'name is required' : 'must be a string' });
  else {
    const refused = savedSegmentNameProblem(name);
    if (refused !== undefined) problems.push({ path: 'name', message: refused.message });
  }
  const conditions = property(body, 'conditions');
  parseSavedConditions(conditions, { timezone, path: 'conditions', problems });
  const savedSegmentId = property(body, 'saved_segment_id') === undefined ? null : idIn(body, problems);
  if (problems.length > 0 || typeof name !== 'string' || savedSegmentId === undefined) throw invalid(problems);
  return { savedSegmentId, content: { name, conditions: stringify(conditions)! } };
}
