import { referralCodeOwnersSet } from '../../domain/referral/attribution-events.ts';
import type { CommandContext } from '../decide-and-append.ts';
import { type AppendedReferral, appendReferral, type ReferralMeta } from './append-referral.ts';

export interface SetCodeOwners {
  readonly bot: string;
  readonly elements: readonly { readonly code: string; readonly user_id: number }[];
}

/** All elements in one append. */
export function setCodeOwners(
  context: CommandContext,
  { bot, elements }: SetCodeOwners,
  meta: ReferralMeta,
): Promise<AppendedReferral> {
  return appendReferral(context, bot, referralCodeOwnersSet.create({ elements: [...elements] }), meta);
}
