import { decider } from '../decider.ts';
import type { EventOf } from '../event-type.ts';
import { idsReserved } from './catalog-events.ts';

/** Stream `ids-<kind>`: the reserved ids of a kind. Ids start at 1; each is reserved once, also after a restore. */
export type IdKind =
  | 'owner'
  | 'bot'
  | 'key'
  | 'unit'
  | 'rule'
  | 'accrual'
  | 'payout'
  | 'broadcast'
  | 'segment'
  | 'savedsegment';

export type IdsEvent = EventOf<typeof idsReserved>;

export interface IdsState {
  /** The highest reserved id; 0 if there is none. */
  readonly last: number;
}

export const ids = decider(
  [idsReserved],
  (): IdsState => ({ last: 0 }),
  (state, event) => ({ last: Math.max(state.last, event.data.to) }),
);

export interface ReserveIds {
  readonly kind: IdKind;
  readonly count: number;
  /** The ids are above it: a part of the log that a restore lost may have given those below (decisions.md#recovery). */
  readonly above: number;
}

export function reserveIds(state: IdsState, { kind, count, above }: ReserveIds): IdsEvent[] {
  const last = Math.max(state.last, above);
  return [{ type: 'ids_reserved', data: { kind, from: last + 1, to: last + count } }];
}
