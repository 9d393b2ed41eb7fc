import {
  accrueRewards as accrue,
  accrueLookups,
  isCompensated,
  mayAccrue,
  newCurrencies,
  reverseAccrual as reverse,
  reverseLookups,
} from '../../domain/referral/account/accrue.ts';
import { Recalled } from '../../domain/referral/account/recall.ts';
import type { AmountUnit, RewardItem } from '../../domain/referral/account/reward.ts';
import type { Position } from '../../log/port.ts';
import { ensureUnit } from '../catalog/units.ts';
import type { CommandMeta, CommandResult } from '../decide-and-append.ts';
import type { Accounts } from './accounts.ts';
import type { AccountKey } from './books.ts';

export interface AccrueRewards {
  /** Public key of the bot. */
  readonly bot: string;
  readonly referrer: number;
  /** In the order of the bot's log: the first accrual by a rule locks its rate. */
  readonly items: readonly RewardItem[];
}

/**
 * Accrues the rewards of the items that the account has not decided on yet. An item that is passed again changes nothing.
 * @returns a position of the account's stream; a reader that has passed it sees all of these accruals
 */
export async function accrueRewards(
  accounts: Accounts,
  { bot, referrer, items }: AccrueRewards,
  meta: Omit<CommandMeta, 'command'> = {},
): Promise<{ readonly position: Position | undefined }> {
  const key = { bot, userId: referrer };
  const units = new Map<string, AmountUnit>();
  let lacking = await accounts.view(key, (state) => newCurrencies(state, new Recalled(), items));
  for (;;) {
    for (const currency of lacking) units.set(currency, await ensureUnit(accounts.context, bot, currency));
    const { position } = await accounts.change(
      key,
      {
        lookups: (state, recalled) => accrueLookups(state, recalled, items),
        needs: { kind: 'accrual', count: (state, _now, recalled) => mayAccrue(state, recalled, items) },
        decide(state, now, ids, recalled) {
          lacking = newCurrencies(state, recalled, items).filter((currency) => !units.has(currency));
          return accrue(state, recalled, { items, units, ids }, now);
        },
      },
      meta,
    );
    if (lacking.length === 0) return { position };
  }
}

export interface ReverseAccrual extends AccountKey {
  readonly accrualId: number;
  readonly reason: string | null;
}

/** Reverses an accrual. @throws Rejection not_found: it is not of this account; conflict: its state forbids that */
export function reverseAccrual(
  accounts: Accounts,
  { accrualId, reason, ...key }: ReverseAccrual,
  meta: CommandMeta = {},
): Promise<CommandResult<unknown>> {
  return accounts.change(
    key,
    {
      lookups: (state) => reverseLookups(state, accrualId),
      needs: { kind: 'accrual', count: (state, _now, recalled) => (isCompensated(state, recalled, accrualId) ? 1 : 0) },
      decide: (state, now, [compensation_id], recalled) =>
        reverse(state, recalled, { accrual_id: accrualId, reason, compensation_id }, now),
    },
    meta,
  );
}
