import type { AuditedBalance } from '../../domain/referral/account/audit.ts';
import type { BalanceRow } from '../../queries/referral/balance.ts';

/** The first unit whose balance in the log is not the answered one, in words; null: none. */
export function differentBalance(
  balances: ReadonlyMap<number | null, AuditedBalance>,
  rows: readonly BalanceRow[],
): string | null {
  const answered = new Map(rows.map(({ unit_id, ...balance }) => [unit_id, balance]));
  for (const unit of new Set([...balances.keys(), ...answered.keys()])) {
    const [inLog, told] = [shown(balances.get(unit)), shown(answered.get(unit))];
    if (inLog !== told) return `unit ${unit ?? '-'} is ${inLog} in the log and ${told} in the read model`;
  }
  return null;
}

function shown(balance: AuditedBalance | undefined): string {
  if (balance === undefined) return 'nothing';
  const { available, reserved, paid, on_hold } = balance;
  return `${available} available, ${reserved} reserved, ${paid} paid, ${on_hold} on hold`;
}
