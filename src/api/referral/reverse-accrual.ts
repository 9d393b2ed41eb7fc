import type { CommandResult } from '../../commands/decide-and-append.ts';
import type { Accounts } from '../../commands/referral/accounts.ts';
import { reverseAccrual as reverse } from '../../commands/referral/accrue-rewards.ts';
import type { Reader } from '../../projections/reader.ts';
import { accrualOwner } from '../../queries/referral/accrual-list.ts';
import { botOf, principalOf } from '../access.ts';
import { ApiError } from '../api-errors.ts';
import type { FindCaughtUp } from '../find-caught-up.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { reversalAnswer, reversalBody } from './account-schemas.ts';

export interface ReverseAccrualOptions {
  readonly accounts: Accounts;
  readonly db: Reader;
  readonly waitForChange: WaitForChange;
  /** Waits for the read model of accounts. */
  readonly findCaughtUp: FindCaughtUp;
}

/** POST /v1/referral/reverse-accrual: cancels an accrual, or compensates one that was paid. */
export function reverseAccrual({ accounts, db, waitForChange, findCaughtUp }: ReverseAccrualOptions): AnyRoute {
  return route({
    method: 'POST',
    url: '/v1/referral/reverse-accrual',
    operationId: 'reverseReferralAccrual',
    summary: 'Cancel an accrual; one that was paid is made good by one of the opposite amount',
    tag: 'Referrals',
    access: { resource: 'required' },
    body: reversalBody,
    answer: reversalAnswer,
    idempotent: true,
    errors: [404, 409],
    async handle({ request, body: { accrual_id: accrualId, reason } }) {
      const bot = botOf(request).public_key;
      const { keyId } = principalOf(request);
      return underKey<Pick<CommandResult<unknown>, 'position' | 'repeated'>, object>(
        request,
        'referral/reverse-accrual',
        async (command, first) => {
          if (first !== null) return { position: first.position, repeated: first };
          const userId = await ownerOf(bot, accrualId);
          return reverse(accounts, { bot, userId, accrualId, reason }, { keyId, command });
        },
        async ({ position }) => {
          const seen = await waitForChange(request, position);
          return { ok: true, data: {}, ...(seen ? {} : { lagging: true }) };
        },
      );
    },
  });

  /** Finds the user of an accrual. */
  async function ownerOf(bot: string, accrualId: number): Promise<number> {
    const found = await findCaughtUp(bot, async () => accrualOwner(await db.at('accounts'), bot, accrualId));
    if (found !== null) return found;
    const message = `there is no accrual ${accrualId}`;
    throw new ApiError(404, message, [{ path: 'accrual_id', message }]);
  }
}
