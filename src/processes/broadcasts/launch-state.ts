import type { BotPauseState } from '../../domain/broadcast/bot-pause.ts';
import type { SendingState } from '../../domain/broadcast/sending.ts';
import type { Message } from '../../domain/broadcast/sending-message.ts';
import type { TemplateUser } from '../../domain/broadcast/template.ts';
import type { RecipientUser } from '../../queries/broadcast/recipient-users.ts';
import {
  type Budget,
  createBudget,
  createUnrecorded,
  type Entries,
  type FileId,
  type Unreachable,
  type Unrecorded,
} from './commit.ts';
import type { Delivery } from './deliver.ts';
import type { PlatformStatus } from './platform-health.ts';

/** The state of a launch, the inputs of its reducer (launch.ts), and the effects. */

/** Values that stay the same during the launch. */
export interface LaunchPlan {
  readonly broadcastId: number;
  readonly launch: number;
  /** Names this run of the sender. */
  readonly sender: string;
  /** The frozen audience, ascending. */
  readonly chats: readonly number[];
  readonly message: Pick<Message, 'units' | 'urls'>;
  /** Units a second. */
  readonly cap: number;
  readonly onLimit: { readonly stop: boolean; readonly extraDelay: number };
  /** Monotonic ms: no recipient is claimed earlier. A recipient that waits for the first rest would look slow. */
  readonly opensAt: number;
}

/** A recipient that is claimed and has not been called. */
export interface Waiting {
  readonly claim: number;
  readonly place: number;
  readonly user: TemplateUser;
  /** When it joined the queue, monotonic ms. */
  readonly since: number;
}

/** Why sending has ended; no call is under way any more. */
export type LaunchEnd =
  | { readonly type: 'finished' | 'cancelled' | 'interrupted' }
  | { readonly type: 'stopped' | 'failed'; readonly error: string }
  /** An unexpected error ended the run; try again after a pause. */
  | { readonly type: 'broken'; readonly againMs: number };

export type LaunchInput =
  /** Time has passed, or an effect `wake` asked for it: recipients may be stale, outcomes may be ready to record. */
  | { readonly type: 'due'; readonly platform: PlatformStatus }
  /** The send queue lets the broadcast call its next recipient. */
  | { readonly type: 'turn' }
  | {
      readonly type: 'answered';
      readonly claim: number;
      readonly place: number;
      readonly delivery: Delivery;
      readonly platform: PlatformStatus;
    }
  /** The send queue rests. */
  | { readonly type: 'rested' }
  /** The entries of the last `record` are in the log. `wrote`: they were not empty. */
  | { readonly type: 'appended'; readonly log: SendingState; readonly wrote: boolean }
  /** They are not, and the next attempt should wait for `againMs`. */
  | { readonly type: 'not_appended'; readonly againMs: number }
  /** The users of a claim, by chat; null: the look-up failed. */
  | {
      readonly type: 'found';
      readonly claim: number;
      readonly users: ReadonlyMap<number, RecipientUser> | null;
      readonly platform: PlatformStatus;
    }
  /** The service itself has failed, at a call or between calls. */
  | { readonly type: 'failed'; readonly againMs: number }
  | { readonly type: 'cancelled' }
  /** The service stops, or another instance sends for the bot. */
  | { readonly type: 'aborted' }
  /** After `aborted`: the remaining answers are waited for no longer. */
  | { readonly type: 'expired' };

export type LaunchEffect =
  /** Call the recipient; then nothing of this broadcast for `gapMs`. */
  | {
      readonly type: 'call';
      readonly claim: number;
      readonly place: number;
      readonly user: TemplateUser;
      readonly gapMs: number;
    }
  /** Append outcomes and the next claim, in one commit; the answer is `appended` or `not_appended`. */
  | { readonly type: 'record'; readonly entries: Entries; readonly limited: BotPauseState }
  /** Look up the users of a claim; the answer is `found`. */
  | { readonly type: 'look_up'; readonly claim: number; readonly chats: readonly number[] }
  /** Let the bot's send queue rest. */
  | { readonly type: 'rest'; readonly ms: number }
  /** Begin no further call about a recipient. */
  | { readonly type: 'stop' }
  /** Send `due` now rather than with the next tick. */
  | { readonly type: 'wake' }
  /** After a failure, sending works again. */
  | { readonly type: 'recovered' }
  | { readonly type: 'end'; readonly end: LaunchEnd };

export interface Launch {
  readonly plan: LaunchPlan;
  /** The broadcast's stream as of the last append. */
  log: SendingState;
  /** Why the launch ends; set before the last answers are in the log. */
  end: LaunchEnd | null;
  waiting: Waiting[];
  /** By place: when the call began. */
  readonly calls: Map<number, number>;
  /** When the calls of the last second began. */
  begun: number[];
  /** Claims whose users are being looked up: their places. */
  readonly lookUps: Map<number, readonly number[]>;
  readonly unrecorded: Unrecorded;
  readonly budget: Budget;
  /** Ids of files that were sent by URL, by the URL. */
  readonly files: Map<string, string>;
  newFiles: FileId[];
  unreachable: Unreachable[];
  /** Whether the platform has told this launch to slow down. */
  limited: boolean;
  /** After a failure one recipient at a time shows whether sending works again. */
  trying: boolean;
  /** The number of the last claim whose recipients were taken over into this state. */
  adopted: number;
  /** The `record` that is under way, and how many recipients had an outcome before it. */
  recording: { readonly entries: Entries; readonly attempted: number } | null;
  /** Nothing is recorded before. */
  recordAt: number;
  aborted: boolean;
  expired: boolean;
}

/** @param log the broadcast's stream, without open claims */
export function beginLaunch(plan: LaunchPlan, log: SendingState, isFailing: boolean): Launch {
  return {
    plan,
    log,
    end: null,
    waiting: [],
    calls: new Map(),
    begun: [],
    lookUps: new Map(),
    unrecorded: createUnrecorded(),
    budget: createBudget(plan.cap, plan.message.units),
    files: new Map(log.files),
    newFiles: [],
    unreachable: [],
    limited: log.launch === plan.launch && log.limited,
    trying: isFailing,
    adopted: log.lastClaim,
    recording: null,
    recordAt: Number.NEGATIVE_INFINITY,
    aborted: false,
    expired: false,
  };
}
