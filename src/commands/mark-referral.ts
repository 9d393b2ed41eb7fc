import { referralMarked } from '../domain/referral/attribution-events.ts';
import { type AppendedReferral, appendReferral } from './append-referral.ts';
import type { CommandContext, CommandMeta } from './handle.ts';
import { newReferralCode } from './referral-code.ts';

export interface MarkReferral {
  readonly bot: string;
  readonly referralUserId: number;
  /** By a code, or by a referrer; `needsCode`: the referrer was seen to have none. */
  readonly by: { readonly code: string } | { readonly referrerId: number; readonly needsCode: boolean };
}

export interface AppendedMark extends AppendedReferral {
  /** That the referrer is given if the mark counts, now or by the commit that is repeated. */
  readonly newCode: string | null;
}

/** Marks a user as referred. Whether somebody was faster shows when the bot's log has been read up to it. */
export async function markReferral(
  context: CommandContext,
  { bot, referralUserId, by }: MarkReferral,
  meta: CommandMeta,
): Promise<AppendedMark> {
  const new_code = 'needsCode' in by && by.needsCode ? newReferralCode(context.sources) : null;
  const event = referralMarked.create({
    referral_user_id: referralUserId,
    code: 'code' in by ? by.code : null,
    referrer_id: 'code' in by ? null : by.referrerId,
    new_code,
  });
  const appended = await appendReferral(context, bot, event, meta);
  const first = appended.repeated?.events[0];
  return { ...appended, newCode: first === undefined ? new_code : referralMarked.read(first).data.new_code };
}
