import { signal } from '@preact/signals';

/** How far the last answer has counted, as an ISO date or local time, and how long it is behind. Null: no answer has said so yet. */
export const freshness = signal<{ readonly at: string; readonly lagMs: number | undefined } | null>(null);

/** Notes how far an answer has counted, if it says so. */
export function noteFreshness(data: unknown): void {
  if (typeof data !== 'object' || data === null) return;
  const { data_as_of, meta } = data as {
    readonly data_as_of?: unknown;
    readonly meta?: { readonly data_as_of?: unknown; readonly lag_ms?: unknown };
  };
  const at = data_as_of ?? meta?.data_as_of;
  if (typeof at !== 'string') return;
  freshness.value = { at, lagMs: typeof meta?.lag_ms === 'number' ? meta.lag_ms : undefined };
}
