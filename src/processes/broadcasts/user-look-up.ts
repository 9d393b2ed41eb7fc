import type pg from 'pg';
import { referralManifest } from '../../projections/referral/manifest.ts';
import { usersManifest } from '../../projections/users/manifest.ts';
import { type BotRecipients, type RecipientUser, usersOfBots } from '../../queries/broadcast/recipient-users.ts';
import { sharedLookUp } from '../../util/shared-call.ts';
import type { SchemaOf } from './shared-look-ups.ts';

/** Finds users among the recipients of a claim; see `usersOfBots`. @throws the signal's reason */
export type UserLookUp = (
  recipients: BotRecipients,
  withFields: boolean,
) => Promise<ReadonlyMap<number, RecipientUser>>;

/**
 * Looks up the users of all broadcasts of an instance. Claims that come while a statement runs share the next one: with a
 * hundred bots, a statement for each claim was four fifths of all transactions of a sender.
 */
export function createUserLookUp(pool: pg.Pool, schemaOf: SchemaOf, signal: AbortSignal): UserLookUp {
  const [ofFields, ofStatuses] = [true, false].map((withFields) =>
    sharedLookUp(async (asked: readonly BotRecipients[]) => {
      const users = await schemaOf(usersManifest, signal);
      const referral = await schemaOf(referralManifest, signal);
      const found = await usersOfBots({ pool, users, referral }, asked, withFields);
      return new Map(asked.map((recipients, i) => [recipients, found[i]!]));
    }),
  );
  return async (recipients, withFields) => (await (withFields ? ofFields! : ofStatuses!)(recipients))!;
}
