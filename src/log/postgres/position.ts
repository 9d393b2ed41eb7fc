import type { Position } from '../port.ts';

/** The one partition of PostgreSQL, ordered by transaction id, then sequence number. Zeros pad both: text sorts as numbers. */
const PARTITION = '0:';

/** The order of commits: transaction id, then sequence number, as decimal text. */
export interface OrderKey {
  readonly txid: string;
  readonly seq: string;
}

/** Before the first commit. */
export const START: OrderKey = { txid: '0', seq: '0' };

export function positionOf({ txid, seq }: OrderKey): Position {
  return `${PARTITION}${txid.padStart(20, '0')}.${seq.padStart(16, '0')}`;
}

export function orderKeyOf(position: Position | undefined): OrderKey {
  if (position === undefined) return START;
  const match = /^0:(\d{20})\.(\d{16})$/.exec(position);
  if (match === null) throw new RangeError(`not a position of the PostgreSQL log: ${position}`);
  return { txid: BigInt(match[1]!).toString(), seq: BigInt(match[2]!).toString() };
}
