/** The progress of an operator's long work. */
export interface WorkProgress {
  readonly what: string;
  readonly done: number;
  /** Null: unknown. */
  readonly total: number | null;
  readonly unit: string;
  /** Since the present start, in seconds. */
  readonly seconds: number;
}

/** The progress as the columns of a row. */
export interface StoredProgress {
  /** Whether an instance works on it. */
  readonly running: boolean;
  readonly what: string | null;
  readonly done: number | null;
  readonly total: number | null;
  readonly unit: string | null;
  readonly seconds: number | null;
}

/** An instance that works says so twice a second. */
const SILENT = '10 seconds';

/** SQL: the columns of {@link StoredProgress}, of a row `p`. */
export const PROGRESS_COLUMNS = `coalesce(p.seen_at > clock_timestamp() - interval '${SILENT}', false) AS running,
  p.what, p.done, p.total, p.unit, extract(epoch FROM p.seen_at - p.begun_at)::float8 AS seconds`;

/** Null: an instance has not begun it, or has not reported yet. */
export function shownProgress({ what, done, total, unit, seconds }: StoredProgress): WorkProgress | null {
  if (what === null || done === null || unit === null) return null;
  return { what, done, total, unit, seconds: seconds ?? 0 };
}
