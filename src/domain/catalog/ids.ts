import { decider } from '../decider.ts';
import type { EventOf } from '../event-type.ts';
import { idsReserved } from './events.ts';

/** Stream `ids-<kind>`: the reserved ids of a kind. Ids start at 1; each is reserved once. */
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

export function reserveIds(state: IdsState, { kind, count }: { kind: IdKind; count: number }): IdsEvent[] {
  return [{ type: 'ids_reserved', data: { kind, from: state.last + 1, to: state.last + count } }];
}
