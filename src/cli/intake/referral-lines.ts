import type { ReferralLine } from '../../commands/referral/import-referrals.ts';
import { UNIT_CODE } from '../../domain/catalog/checks.ts';
import { decimalText } from '../../domain/intake/amounts.ts';
import { isWithinYears, parseIso8601 } from '../../domain/intake/moment.ts';
import { exactNumber, type JsonObject, positiveId } from '../../domain/json.ts';
import type { ImportedReferral } from '../../domain/referral/referral-import.ts';
import { recordsOf } from './event-lines.ts';

/** The columns that a CSV file of referrals must have. */
export const REFERRAL_COLUMNS = ['user_id', 'referrer_id'] as const;

/** Reads the referrals of a file of NDJSON or CSV with `user_id`, `referrer_id`, and perhaps `date`, `balance` and `unit`. */
export async function* referralsOf(path: string): AsyncGenerator<ReferralLine> {
  for await (const { line, text, ...found } of recordsOf(path, REFERRAL_COLUMNS))
    yield { line, text, ...('problem' in found ? found : readReferral(found.object)) };
}

function readReferral(record: JsonObject): { readonly referral: ImportedReferral } | { readonly problem: string } {
  const [user_id, referrer_id] = [positiveId(record['user_id']), positiveId(record['referrer_id'])];
  if (user_id === undefined) return { problem: 'user_id must be a positive integer below 2^53' };
  if (referrer_id === undefined) return { problem: 'referrer_id must be a positive integer below 2^53' };
  const { date: given, balance, unit } = record;
  const date = typeof given === 'string' ? parseIso8601(given) : undefined;
  if (date === null || (date === undefined && isGiven(given)) || (date !== undefined && !isWithinYears(date)))
    return { problem: 'date must be an ISO 8601 date and time of the years 1970 to 2100' };
  const referral = { user_id, referrer_id, ...(date === undefined ? {} : { date }) };
  if (!isGiven(balance)) return isGiven(unit) ? { problem: 'unit needs a balance' } : { referral };
  const exact = exactNumber(balance);
  const amount = exact === undefined || exact.lt(0) ? null : decimalText(exact);
  if (amount === null) return { problem: 'balance must be a decimal number from 0' };
  if (!isGiven(unit)) return { referral: { ...referral, balance: { amount } } };
  if (typeof unit !== 'string' || !UNIT_CODE.test(unit)) return { problem: 'unit must be 1 to 3 letters and digits' };
  return { referral: { ...referral, balance: { amount, unit: unit.toUpperCase() } } };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
