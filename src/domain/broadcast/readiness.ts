import { parse } from 'lossless-json';
import { type Problem, under } from '../problem.ts';
import { Rejection } from '../rejection.ts';
import { type Segment, type Segmentations, segmentsOf } from './audience.ts';
import { NO_SUCH_TASK, parseSegmentations, type SavedSegments } from './audience-segmentations.ts';
import { type Broadcast, messagesOf, type Readiness } from './broadcast.ts';
import { missingContent } from './message.ts';
import { trackingProblem } from './tracked-links.ts';

/** A broadcast that cannot be sent, with everything that it lacks. */
export class NotReady extends Rejection {
  constructor(readonly problems: readonly Problem[]) {
    super('invalid', problems[0]!.path, problems[0]!.message);
  }
}

export interface ReadinessOptions {
  readonly timezone: string;
  /** Whether the broadcast exists and has an id. */
  readonly isNew: boolean;
  /** Whether the bot has a token: without one the platform refuses each call. */
  readonly hasToken: boolean;
  /** Whether links can lead to this service: PUBLIC_URL is set. */
  readonly hasPublicUrl: boolean;
  /** The broadcasts that its audience is made from, if the key reaches their bots. */
  readonly tasks: ReadonlyMap<number, TaskSource>;
  /** The saved segments that its audience names, if they belong to the bot. */
  readonly savedSegments: SavedSegments;
}

const NO_PUBLIC_URL = 'clicks cannot be tracked: the operator has not set PUBLIC_URL, the address of this service';
const NO_TOKEN = 'the bot has no token to send with: set it by botledger bot set --token-file';

/** Checks that a broadcast has a token, content, and an audience, unless one is frozen. @returns a NotReady */
export function readiness({
  timezone,
  isNew,
  hasToken,
  hasPublicUrl,
  tasks,
  savedSegments,
}: ReadinessOptions): Readiness {
  return (broadcast) => {
    const { id, frozen, saved_segments } = broadcast;
    const withoutToken = { path: isNew ? 'activate' : 'id', message: NO_TOKEN };
    const missing = messagesOf(broadcast).flatMap(
      ({ message, path }) => missingContent(broadcast.type, message, path) ?? [],
    );
    const ofTracking = broadcast.settings.track_clicks === true ? trackingProblems(broadcast, hasPublicUrl) : [];
    const broadcastId = isNew ? null : id;
    const options = { timezone, broadcastId, tasks, savedSegments };
    const isResolved = frozen !== null || saved_segments !== undefined;
    const ofAudience = isResolved ? [] : audienceProblems(broadcast.segmentations, options);
    const problems = [...(hasToken ? [] : [withoutToken]), ...missing, ...ofTracking, ...ofAudience];
    return problems.length === 0 ? undefined : new NotReady(problems);
  };
}

/** The problems of a stored audience at an activation. Its form was checked; its saved segments may be gone since. */
function audienceProblems(
  stored: string,
  {
    timezone,
    savedSegments,
    ...rest
  }: Pick<ReadinessOptions, 'timezone' | 'savedSegments' | 'tasks'> & { broadcastId: number | null },
): readonly Problem[] {
  const problems: Problem[] = [];
  const path = 'segmentations';
  const options = { timezone, path, problems, segmentIds: null, savedSegments };
  const segmentations = parseSegmentations(parse(stored), options);
  return problems.length > 0 ? problems : activationProblems(segmentations, { path, ...rest });
}

/** Links make a template of a text, and templates have a greatest length. */
function trackingProblems(broadcast: Broadcast, hasPublicUrl: boolean): Problem[] {
  const withoutUrl = { path: 'settings.track_clicks', message: NO_PUBLIC_URL };
  const tooLong = messagesOf(broadcast).flatMap(({ message, path }) => {
    const problem = trackingProblem(message);
    return problem === undefined ? [] : [{ path, message: problem }];
  });
  return [...(hasPublicUrl ? [] : [withoutUrl]), ...tooLong];
}

/** A broadcast of the owner that an audience is made from. */
export interface TaskSource {
  /** Whether its audience is frozen. */
  readonly frozen: boolean;
}

/**
 * Checks whether a checked audience can be sent to (decisions.md#broadcast-status and #audience): it includes a segment, no
 * filter is empty, and broadcasts that it is made from have recipients.
 */
export function activationProblems(
  segmentations: Segmentations,
  {
    path,
    broadcastId,
    tasks,
  }: {
    /** The path of the segmentations. */
    readonly path: string;
    /** Null: it is created and activated by one request. */
    readonly broadcastId: number | null;
    /** Those within the key's scope that the segments name (`taskIdsOf`), by id. */
    readonly tasks: ReadonlyMap<number, TaskSource>;
  },
): Problem[] {
  const problems = segmentsOf(segmentations).flatMap(({ segment, path: at }) => {
    const problem = problemOf(segment, { broadcastId, tasks });
    return problem === undefined ? [] : [{ path: under(under(path, at), problem.key), message: problem.message }];
  });
  if (segmentations.include.length > 0) return problems;
  return [{ path: under(path, 'include'), message: 'an audience needs at least one include segment' }, ...problems];
}

function problemOf(
  segment: Segment,
  { broadcastId, tasks }: { broadcastId: number | null; tasks: ReadonlyMap<number, TaskSource> },
): { readonly key: string; readonly message: string } | undefined {
  if (segment.type === 'filter' && segment.users === null && segment.events === null)
    return { key: 'config', message: 'a filter needs user_conditions or event_filters' };
  if (segment.type !== 'from_task') return undefined;
  const key = 'config.task_id';
  if (segment.taskId === broadcastId) return { key, message: 'a broadcast cannot be made from itself' };
  const task = tasks.get(segment.taskId);
  if (task === undefined) return { key, message: NO_SUCH_TASK };
  return task.frozen ? undefined : { key, message: 'this broadcast has no recipients yet' };
}
