import type { BroadcastAnswer } from '../../../src/api/broadcast/schemas.ts';

/** A broadcast as the API answers it (docs/http-api.md). Dates are `YYYY-MM-DD HH:MM:SS` in the bot's zone. */
export type Broadcast = Readonly<Omit<BroadcastAnswer, 'status' | 'segmentations' | 'settings'>> & {
  readonly status: Status;
  readonly segmentations: Segmentations;
  readonly settings: {
    readonly intervalCap: number;
    readonly track_clicks?: boolean;
    readonly rateLimitOnError: { readonly stop: boolean; readonly extraDelay: number };
  };
};

export const MESSAGE_TYPES = [
  'sendMessage',
  'sendPhoto',
  'sendVideo',
  'sendDocument',
  'sendAnimation',
  'sendAudio',
  'sendVoice',
  'sendMediaGroup',
] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

export interface Segmentations {
  readonly include: readonly Segment[];
  readonly exclude: readonly Segment[];
}

export interface Segment {
  readonly type: string;
  readonly config?: Readonly<Record<string, unknown>> | null;
}

export type Status = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Something of it happens by itself. */
export const isRunning = ({ status }: Broadcast): boolean => [1, 2, 6, 7, 8].includes(status);
export const canCancel = ({ status }: Broadcast): boolean => [1, 2, 6, 7].includes(status);
/** It has not been launched: it can be changed and deleted. */
export const isDraft = ({ status }: Broadcast): boolean => status === 0;
/** It goes to those who were never attempted. */
export const canRelaunch = ({ status }: Broadcast): boolean => status === 4 || status === 5;

/** Counts the recipients by outcome. `not_delivered` is certain; an outcome that is not certain is `unknown`. */
export function partsOf(broadcast: Broadcast): Readonly<Record<Part, number>> {
  const { count_recipients, count_delivered, count_not_delivered, count_unknown, count_cancelled } = broadcast;
  return {
    delivered: count_delivered,
    not_delivered: count_not_delivered - count_unknown,
    unknown: count_unknown,
    cancelled: count_cancelled,
    left: count_recipients - count_delivered - count_not_delivered - count_cancelled,
  };
}

export const PARTS = ['delivered', 'not_delivered', 'unknown', 'cancelled', 'left'] as const;
export type Part = (typeof PARTS)[number];
