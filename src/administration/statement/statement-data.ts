import type { UnitRow } from '../../queries/catalog/bots.ts';
import type { BalanceRow } from '../../queries/referral/find-balance.ts';
import type { StatementRow } from '../../queries/referral/statement-rows.ts';

/** The subject of a statement, and its balances. Times are milliseconds UTC. */
export interface StatementHead {
  readonly bot: { readonly public_key: string; readonly name: string };
  readonly userId: number;
  /** The first moment; null: the beginning of the account. */
  readonly from: number | null;
  /** The last moment, included. */
  readonly until: number;
  readonly madeAt: number;
  /** The bot's units, by id. */
  readonly units: ReadonlyMap<number, Pick<UnitRow, 'code' | 'name'>>;
  readonly opening: readonly BalanceRow[];
  readonly closing: readonly BalanceRow[];
}

/** The signed checkpoint that a statement names, and the proof file that is attached to it. */
export interface StatementProof {
  /** Of the proof file, in hex. */
  readonly sha256: string;
  readonly fileName: string;
  readonly deflated: Uint8Array;
  readonly sizeBytes: number;
  /** Commits of the account that the checkpoint has. */
  readonly commits: number;
  readonly origin: string;
  readonly size: number;
  /** In base64. */
  readonly root: string;
  /** When the checkpoint was made, milliseconds UTC. */
  readonly at: number;
  readonly cosignatures: readonly { readonly name: string; readonly at: number }[];
}

/**
 * The data of a statement as lines of JSON (decisions.md#statement-data). They do not depend on when the statement is made, nor on
 * names, so each statement of the same account and period has the same.
 */
export const headText = ({ bot, userId, from, until, opening }: StatementHead): string =>
  line({ format: 'botledger-statement/v1', bot: bot.public_key, user_id: userId, from, until }) +
  line({ opening: opening.map(balanceValue) });

export const rowText = (row: StatementRow): string =>
  line({
    ...{ position: row.position, date: row.date, event: row.event },
    ...{ accrual_id: row.accrual_id, payout_id: row.payout_id, amount: row.amount, unit_id: row.unit_id },
    ...balanceOf(row),
    ...{ reason: row.reason, cause: row.cause },
  });

export const closingText = ({ closing }: StatementHead): string => line({ closing: closing.map(balanceValue) });

const line = (value: object): string => `${JSON.stringify(value)}\n`;
const balanceOf = ({ on_hold, available, reserved, paid }: Omit<BalanceRow, 'unit_id'>) => ({
  ...{ on_hold, available, reserved, paid },
});
const balanceValue = ({ unit_id, ...amounts }: BalanceRow): object => ({ unit_id, ...balanceOf(amounts) });
