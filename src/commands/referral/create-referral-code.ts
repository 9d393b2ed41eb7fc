import { referralCodeCreated } from '../../domain/referral/attribution-events.ts';
import type { CommandContext } from '../decide-and-append.ts';
import { type AppendedReferral, appendReferral, type ReferralMeta } from './append-referral.ts';
import { newReferralCode } from './referral-code.ts';

export interface AppendedCode extends AppendedReferral {
  /** The one that was made now, or by the commit that is repeated. */
  readonly code: string;
}

/** Makes a code for a user. Whether it was free shows when the bot's log has been read up to it. */
export async function createReferralCode(
  context: CommandContext,
  { bot, userId }: { readonly bot: string; readonly userId: number },
  meta: ReferralMeta,
): Promise<AppendedCode> {
  const code = newReferralCode(context.sources);
  const event = referralCodeCreated.create({ code, user_id: userId });
  const appended = await appendReferral(context, bot, event, meta);
  const first = appended.repeated?.events[0];
  return { ...appended, code: first === undefined ? code : referralCodeCreated.read(first).data.code };
}
