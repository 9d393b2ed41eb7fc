import type { Problem } from '../problem.ts';
import { Rejection } from '../rejection.ts';
import { activationProblems, type TaskSource } from './audience-activation.ts';
import { storedSegmentations } from './audience-segmentations.ts';
import type { Readiness } from './broadcast.ts';
import { missingContent } from './message.ts';

/** A broadcast that cannot be sent as it is, and everything that it lacks. */
export class NotReady extends Rejection {
  constructor(readonly problems: readonly Problem[]) {
    super('invalid', problems[0]!.path, problems[0]!.message);
  }
}

export interface ReadinessOptions {
  readonly timezone: string;
  /** Whether it has an id already. */
  readonly isNew: boolean;
  /** Whether the bot has a token: without one the platform takes nothing. */
  readonly hasToken: boolean;
  /** Broadcasts that its audience is made from, those of its owner. */
  readonly tasks: ReadonlyMap<number, TaskSource>;
}

const NO_TOKEN = 'the bot has no token to send with: set it by botledger bot set --token';

/** What a broadcast needs to be sent: a token, content, and unless it has one already, an audience. @returns a NotReady */
export function readiness({ timezone, isNew, hasToken, tasks }: ReadinessOptions): Readiness {
  return (broadcast) => {
    const { id, type, message, segmentations, frozen } = broadcast;
    const withoutToken = { path: isNew ? 'activate' : 'id', message: NO_TOKEN };
    const missing = missingContent(type, message, 'message');
    const broadcastId = isNew ? null : id;
    const options = { path: 'segmentations', broadcastId, tasks };
    const ofAudience = frozen === null ? activationProblems(storedSegmentations(segmentations, timezone), options) : [];
    const problems = [...(hasToken ? [] : [withoutToken]), ...(missing === undefined ? [] : [missing]), ...ofAudience];
    return problems.length === 0 ? undefined : new NotReady(problems);
  };
}
