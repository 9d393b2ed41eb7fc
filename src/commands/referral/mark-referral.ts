import { referralMarked } from '../../domain/referral/attribution-events.ts';
import type { RecordedCommit } from '../../log/port.ts';
import type { CommandContext } from '../decide-and-append.ts';
import { type AppendedReferral, appendReferral, type ReferralMeta } from './append-referral.ts';
import { newReferralCode } from './referral-code.ts';

export interface MarkReferral {
  readonly bot: string;
  readonly referralUserId: number;
  /** By a code, or by a referrer; `needsCode`: the referrer was seen to have none. */
  readonly by: { readonly code: string } | { readonly referrerId: number; readonly needsCode: boolean };
}

/** Marks a user as referred. Whether somebody was faster shows when the bot's log has been read up to it. */
export function markReferral(
  context: CommandContext,
  { bot, referralUserId, by }: MarkReferral,
  meta: ReferralMeta,
): Promise<AppendedReferral> {
  const new_code = 'needsCode' in by && by.needsCode ? newReferralCode(context.sources) : null;
  const event = referralMarked.create({
    referral_user_id: referralUserId,
    code: 'code' in by ? by.code : null,
    referrer_id: 'code' in by ? null : by.referrerId,
    new_code,
  });
  return appendReferral(context, bot, event, meta);
}

/** By what a commit marks its user, as it was asked for. */
export function markedBy({ id, events: [first] }: RecordedCommit): MarkReferral['by'] {
  if (first === undefined) throw new TypeError(`commit ${id} has no mark`);
  const { code, referrer_id, new_code } = referralMarked.read(first).data;
  return code === null ? { referrerId: referrer_id!, needsCode: new_code !== null } : { code };
}
