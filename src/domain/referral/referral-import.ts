import { z } from 'zod';
import { decider } from '../decider.ts';
import { type EventOf, eventType } from '../event-type.ts';
import { customEventsReceived } from '../intake/intake-events.ts';

const userId = z.number().int().positive();

/**
 * The opening balance of a referral: earned by the referrer elsewhere and not yet paid. Decimal text in normal units.
 */
const openingBalance = z.object({ amount: z.string().regex(/^\d+(\.\d+)?$/), unit: z.string().optional() });

const item = z.object({
  user_id: userId,
  referrer_id: userId,
  /** Of the referral, ms UTC; absent: the receipt. */
  date: z.number().int().optional(),
  balance: openingBalance.optional(),
});
export type ImportedReferral = z.infer<typeof item>;

/**
 * Referrals of a part of an imported file (decisions.md#import-referrals). Each is a mark by a referrer: an earlier referrer
 * stays. It makes the user known. `line` is the last line of the file that was read, `refused` the number of lines and opening
 * balances refused so far. The last commit of a file is `finished`.
 */
export const referralsImported = eventType(
  'referrals_imported',
  1,
  z.object({
    items: z.array(item),
    line: z.number().int().nonnegative(),
    refused: z.number().int().nonnegative(),
    finished: z.boolean(),
  }),
);

/** The name of the reward rule by which the opening balances of a file are earned. */
export const IMPORT_RULE = 'imported';
/** The custom event that triggers the rule. Each file has its own, so that no other event earns by it. */
export const importEvent = (file: string): string => `imported ${file}`;
/** An opening balance counts once for a user and a unit, in whichever files it is. */
export const balanceKey = ({ user_id, balance }: ImportedReferral): string =>
  `imported:${user_id}:${balance?.unit ?? ''}`;

/** Stream `import-<bot>/<file>`: referrals, and after each part the events that earn its opening balances. */
export interface ReferralImport {
  readonly line: number;
  readonly imported: number;
  readonly refused: number;
  readonly isFinished: boolean;
  /** Referrals whose opening balances have no event yet. */
  readonly unsettled: readonly ImportedReferral[];
}

type ImportEvent = EventOf<typeof referralsImported> | EventOf<typeof customEventsReceived>;

export const referralImport = decider(
  [referralsImported, customEventsReceived],
  (): ReferralImport => ({ line: 0, imported: 0, refused: 0, isFinished: false, unsettled: [] }),
  (state, { type, data }: ImportEvent): ReferralImport => {
    if (type === 'custom_events_received')
      return { ...state, refused: state.refused + state.unsettled.length - data.items.length, unsettled: [] };
    const { items, line, refused, finished } = data;
    return {
      line,
      imported: state.imported + items.length,
      refused,
      isFinished: finished,
      unsettled: items.filter(({ balance }) => balance !== undefined),
    };
  },
);
