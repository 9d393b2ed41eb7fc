/** A broadcast as the API answers it (docs/http-api.md). Dates are `YYYY-MM-DD HH:MM:SS` in the bot's zone. */
export interface Broadcast {
  readonly id: number;
  readonly status: Status;
  readonly name: string | null;
  readonly type: string;
  readonly message: Readonly<Record<string, unknown>>;
  readonly settings: { readonly intervalCap?: number };
  readonly date_send: string | null;
  readonly date_create: string;
  readonly date_activate: string | null;
  readonly date_finish: string | null;
  readonly count_recipients: number;
  readonly count_delivered: number;
  /** Those of unknown outcome included. */
  readonly count_not_delivered: number;
  readonly count_cancelled: number;
  readonly count_unknown: number;
  readonly error: string | null;
  readonly paused_until: string | null;
}

export type Status = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** Something of it happens by itself. */
export const isRunning = ({ status }: Broadcast): boolean => [1, 2, 6, 7, 8].includes(status);
export const canCancel = ({ status }: Broadcast): boolean => [1, 2, 6, 7].includes(status);
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
