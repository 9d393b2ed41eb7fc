import type { FastifyRequest } from 'fastify';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { Problem } from '../../domain/problem.ts';
import { type SavedSegment, unknownSavedSegment } from '../../domain/saved-segments/saved-segment.ts';
import { type JsonObject, property, safeInteger } from '../../domain/storable-json.ts';
import type { Reader } from '../../projections/reader.ts';
import { listSavedSegments } from '../../queries/saved-segments/saved-segments.ts';
import { botOf } from '../access.ts';
import { parseJson } from '../exact-json.ts';
import { type AnyRoute, route } from '../route.ts';
import { findSavedSegments, type SavedSegmentSources } from './find-saved-segments.ts';
import { getQuery, savedSegmentAnswer, savedSegmentsAnswer } from './schemas.ts';

/** Like saved reports, but each belongs to the bot that the request names. */
export const access = { resource: 'required', premium: true, personal: true } as const;

/** GET /v1/saved-segments/list. */
export function list(db: Reader): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/saved-segments/list',
    operationId: 'listSavedSegments',
    summary: 'The saved segments of the bot, newest first',
    tag: 'Saved segments',
    access,
    answer: savedSegmentsAnswer,
    exact: true,
    async handle({ request }) {
      const rows = await listSavedSegments(await db.at('reports'), botOf(request).public_key);
      return { ok: true, data: { items: rows.map((row) => itemOf(row, request)) } };
    },
  });
}

/** GET /v1/saved-segments/get. */
export function get(sources: SavedSegmentSources): AnyRoute {
  return route({
    method: 'GET',
    url: '/v1/saved-segments/get',
    operationId: 'getSavedSegment',
    summary: 'A saved segment',
    tag: 'Saved segments',
    access,
    query: getQuery,
    answer: savedSegmentAnswer,
    exact: true,
    async handle({ request, query: { saved_segment_id: id } }) {
      const found = await findSavedSegments(sources, botOf(request).public_key, [id]);
      const segment = found.get(id);
      if (segment === undefined) throw unknownSavedSegment();
      return { ok: true, data: itemOf(segment, request) };
    },
  });
}

/** The id of a saved segment in a body; undefined: there is none, and `problems` gets the reason. */
export function idIn(body: JsonObject, problems: Problem[]): number | undefined {
  const path = 'saved_segment_id';
  const given = property(body, path);
  const id = safeInteger(given);
  if (id !== undefined && id > 0) return id;
  problems.push({ path, message: given === undefined ? `${path} is required` : 'must be the id of a saved segment' });
  return undefined;
}

/** A saved segment as `list` and `get` show it, with dates in the bot's time zone. */
function itemOf(
  { saved_segment_id, name, conditions, created_at, changed_at }: SavedSegment,
  request: FastifyRequest,
): object {
  const { public_key: resource_key, timezone } = botOf(request);
  return {
    saved_segment_id,
    name,
    resource_key,
    conditions: parseJson(Buffer.from(conditions)),
    date_create: isoWithOffset(created_at, timezone),
    date_change: isoWithOffset(changed_at, timezone),
  };
}
