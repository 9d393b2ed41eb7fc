import type pg from 'pg';
import type { CommandResult } from '../../commands/decide-and-append.ts';
import type { Accounts } from '../../commands/referral/accounts.ts';
import { reverseAccrual as reverse } from '../../commands/referral/accruals.ts';
import { accountsReadModel } from '../../projections/accounts/read-model.ts';
import { servedProgress, waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import type { AccountSource } from '../../queries/referral/account-source.ts';
import { accrualOwner } from '../../queries/referral/accruals.ts';
import { botOf, principalOf } from '../access.ts';
import { ApiError, unavailable } from '../errors.ts';
import { underKey } from '../idempotency.ts';
import { type AnyRoute, route } from '../route.ts';
import type { WaitForChange } from '../wait-for-change.ts';
import { reversalAnswer, reversalBody } from './account-schemas.ts';

export interface ReverseAccrualOptions {
  readonly accounts: Accounts;
  readonly source: () => Promise<AccountSource>;
  readonly waitForChange: WaitForChange;
  readonly pool: pg.Pool;
  readonly maxWaitMs: number;
}

/** POST /v1/referral/reverse-accrual: cancels an accrual, or compensates one that was paid. */
export function reverseAccrual({ accounts, source, waitForChange, pool, maxWaitMs }: ReverseAccrualOptions): AnyRoute {
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

  /** Finds the user of an accrual. If the read model lacks the accrual, waits until it has reached the log end. */
  async function ownerOf(bot: string, accrualId: number): Promise<number> {
    const known = await accrualOwner(await source(), bot, accrualId);
    if (known !== null) return known;
    const head = await accounts.context.log.endCursor();
    if (!(await waitForReadModels([servedProgress(pool, accountsReadModel)], head, { timeoutMs: maxWaitMs })))
      throw unavailable('the accounts are catching up with the log, try again');
    const found = await accrualOwner(await source(), bot, accrualId);
    if (found !== null) return found;
    const message = `there is no accrual ${accrualId}`;
    throw new ApiError(404, message, [{ path: 'accrual_id', message }]);
  }
}
