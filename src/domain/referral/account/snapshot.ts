import Big from 'big.js';
import type { AccountState, Payout, RateLock, UnitState } from './account.ts';
import { Accruals } from './accruals.ts';
import { Column } from './column.ts';
import { Earned } from './earned.ts';
import { Holds } from './holds.ts';

/**
 * The state of an account as bytes. The columns of accruals are stored as they are in memory, so a million of them are read
 * without a step for each. Numbers are little-endian, the byte order of all supported machines.
 *
 * The bytes: the length of the header in 4 bytes, the header as JSON, and the columns one after the other. Header and columns
 * are filled up to multiples of 8 bytes.
 */

/**
 * Raised with every change of the bytes, or of the state that the account's fold makes of the same events: a snapshot of
 * another version is not used (test/unit/referral/account-snapshot.test.ts holds the bytes of one).
 */
export const SNAPSHOT_VERSION = 1;

interface Header {
  readonly clock: number;
  readonly locks: readonly RateLock[];
  readonly payouts: readonly Payout[];
  readonly units: readonly StoredUnit[];
  /** The number of bytes of each column, in the order of {@link columnsOf}. */
  readonly columns: readonly number[];
  readonly amountTexts: readonly string[];
  readonly unitIds: readonly (number | null)[];
  readonly compensated: readonly (readonly [number, number])[];
  readonly payoutOfClaim: readonly (number | null)[];
  readonly otherEarned: readonly string[];
}

type StoredUnit = Pick<UnitState, 'free'> & {
  readonly unit_id: number | null;
  readonly confirmed: string;
  readonly held: string;
  readonly reserved: string;
  readonly paid: string;
};

const HEADER_LENGTH_BYTES = 4;
const ALIGNMENT = 8;

const aligned = (length: number): number => Math.ceil(length / ALIGNMENT) * ALIGNMENT;

/** A copy of the state: later changes of the state do not change it. Equal states have equal bytes. */
export function encodeAccount(state: AccountState): Uint8Array<ArrayBuffer> {
  const accruals = state.accruals.stored();
  const earned = state.earned.stored();
  const columns = [
    accruals.ids,
    accruals.availableAt,
    accruals.amounts.integers,
    accruals.amounts.scales,
    accruals.units,
    accruals.states,
    accruals.claims,
    earned.words,
    ...[...state.units.values()].flatMap(({ holds, unclaimed }) => [holds.stored(), unclaimed.bytes()]),
  ];
  const header: Header = {
    clock: state.clock,
    locks: [...state.locks.values()],
    payouts: [...state.payouts.values()],
    units: [...state.units].map(([unit_id, { confirmed, held, reserved, paid, free }]) => ({
      unit_id,
      confirmed: confirmed.toFixed(),
      held: held.toFixed(),
      reserved: reserved.toFixed(),
      paid: paid.toFixed(),
      free,
    })),
    columns: columns.map(({ length }) => length),
    amountTexts: accruals.amounts.texts,
    unitIds: accruals.unitIds,
    compensated: accruals.compensated,
    payoutOfClaim: accruals.payoutOfClaim,
    otherEarned: earned.others,
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const begin = aligned(HEADER_LENGTH_BYTES + text.length);
  const bytes = new Uint8Array(columns.reduce((sum, { length }) => sum + aligned(length), begin));
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, HEADER_LENGTH_BYTES);
  let at = begin;
  for (const column of columns) {
    bytes.set(column, at);
    at += aligned(column.length);
  }
  return bytes;
}

/**
 * The state of the bytes, which become its memory. They must be those of {@link encodeAccount} of this
 * {@link SNAPSHOT_VERSION}.
 */
export function decodeAccount({ buffer }: Uint8Array<ArrayBuffer>): AccountState {
  const length = new DataView(buffer).getUint32(0, true);
  const header: Header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, HEADER_LENGTH_BYTES, length)));
  let [at, column] = [aligned(HEADER_LENGTH_BYTES + length), 0];
  const next = <Cells>(Kind: CellsOf<Cells>): Cells => {
    const bytes = header.columns[column++]!;
    const cells = new Kind(buffer, at, bytes / Kind.BYTES_PER_ELEMENT);
    at += aligned(bytes);
    return cells;
  };
  const { amountTexts: texts, unitIds, compensated, payoutOfClaim } = header;
  const accruals = new Accruals({
    ids: next(Float64Array),
    availableAt: next(Float64Array),
    amounts: { integers: next(Float64Array), scales: next(Uint8Array), texts },
    units: next(Uint32Array),
    states: next(Uint8Array),
    claims: next(Uint32Array),
    unitIds,
    compensated,
    payoutOfClaim,
  });
  const earned = new Earned({ words: next(Uint32Array), others: header.otherEarned });
  const unitOf = ({ unit_id, confirmed, held, reserved, paid, free }: StoredUnit): [number | null, UnitState] => [
    unit_id,
    {
      confirmed: new Big(confirmed),
      held: new Big(held),
      holds: new Holds((row) => accruals.availableAt(row), next(Uint32Array)),
      reserved: new Big(reserved),
      paid: new Big(paid),
      unclaimed: new Column(next(Uint32Array)),
      free,
    },
  ];
  return {
    clock: header.clock,
    accruals,
    earned,
    locks: new Map(header.locks.map((lock) => [lock.rule_id, lock])),
    payouts: new Map(header.payouts.map((payout) => [payout.payout_id, payout])),
    units: new Map(header.units.map(unitOf)),
  };
}

interface CellsOf<Cells> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer, at: number, length: number): Cells;
}
