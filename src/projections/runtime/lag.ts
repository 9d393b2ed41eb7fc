import type { Lag } from '../../log/port.ts';

/** How far behind, as it is shown: seconds with at most three decimals. */
export function lagOf({ commits, seconds }: Lag): { readonly events: number; readonly seconds: number } {
  return { events: commits, seconds: Math.round(seconds * 1000) / 1000 };
}
