import { z } from 'zod';
import { isStorable, NO_ID, safeInteger } from '../../domain/storable-json.ts';
import { page } from '../page.ts';
import { answer } from '../shapes.ts';

/** Schemas of the referral endpoints (interface.md, "Referral program"; decisions.md#plain-values, #referral-lists). */

/** A positive JSON-safe integer of a body. A string is refused. */
export const id = z
  .unknown()
  .transform((value, context) => {
    const id = safeInteger(value);
    if (id !== undefined && id >= 1) return id;
    context.addIssue({ code: 'custom', message: value == null ? 'is required' : NO_ID });
    return z.NEVER;
  })
  .meta({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** A positive JSON-safe integer of a query. */
export const userIdText = z
  .string({ error: 'is required' })
  .regex(/^[1-9]\d{0,15}$/, NO_ID)
  .transform(Number)
  .refine(Number.isSafeInteger, NO_ID)
  .meta({ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER, example: 4242 });

export const userQuery = z.object({ user_id: userIdText });
export const userPageQuery = userQuery.extend(page);
export const userBody = z.object({ user_id: id }, { error: 'must be an object' }).meta({ id: 'UserRequest' });

/** A start payload. */
const PAYLOAD = /^[A-Za-z0-9_-]{1,64}$/;
/** Text that the log and the database can hold. */
export const text = z
  .string({ error: ({ input }) => (input == null ? 'is required' : 'must be a string') })
  .refine(isStorable, 'must not hold U+0000 or a lone surrogate');

/** Optional text of at most `max` characters; null if absent. */
export const optionalText = (max: number) =>
  text
    .refine((given) => [...given].length <= max, `must have at most ${max} characters`)
    .nullish()
    .transform((given) => given ?? null);

export const codeOwners = z
  .array(
    z
      .object(
        { code: text.regex(PAYLOAD, 'must be 1 to 64 of letters, digits, _ and -'), user_id: id },
        { error: 'must be an object' },
      )
      .meta({ id: 'CodeOwner' }),
    { error: 'must be a non-empty array of objects with code and user_id' },
  )
  .min(1, 'must be a non-empty array of objects with code and user_id');

const absent = (value: unknown): boolean => value === undefined || value === null;

export const markBody = z
  .object(
    {
      referral_user_id: id.describe('Who is referred'),
      code: text.nullish().describe('The code that referred the user; this or referrer_user_id'),
      referrer_user_id: id.nullish().describe('Who referred the user; this or code'),
    },
    { error: 'must be an object' },
  )
  .refine(({ code, referrer_user_id }) => absent(code) !== absent(referrer_user_id), {
    path: ['code'],
    error: 'give exactly one of code and referrer_user_id',
    when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
  })
  .meta({ id: 'MarkReferralRequest' });

/** A date of the referral endpoints: UTC. */
export const utcTime = z.string().meta({ id: 'UtcTime', example: '2026-03-01 10:00:00' });
const code = z.string().meta({ example: 'k7Rt2Wxy' });
const user = z.int();

export const createdCode = answer(z.object({ code, link: z.string().nullable() }).meta({ id: 'CreatedCode' }));
const ownership = z
  .object({ code: z.string(), owner_id: user, created: z.boolean(), backfilled: z.int() })
  .meta({ id: 'CodeOwnership' });
export const ownersSet = answer(z.object({ results: z.array(ownership) }).meta({ id: 'CodeOwnerships' }));
export const marked = answer(
  z
    .object({
      referral_id: user,
      referrer_id: user.nullable(),
      code: z.string().nullable(),
      already_attributed: z.boolean(),
    })
    .meta({ id: 'Attribution' }),
);
const ownCode = z.object({ code, link: z.string().nullable(), date_create: utcTime }).meta({ id: 'ReferralCode' });
export const codeList = answer(
  z.object({ total_referrals: z.int(), codes: z.array(ownCode) }).meta({ id: 'ReferralCodes' }),
);
const referral = z.object({ referral_id: user, date: utcTime }).meta({ id: 'Referral' });
export const referralList = answer(z.object({ referrals: z.array(referral) }).meta({ id: 'Referrals' }));

/** For a client in TypeScript, such as the console: a change of an answer then breaks its type check. */
export type ReferralCodes = z.infer<typeof codeList>['data'];
export type ReferredUsers = z.infer<typeof referralList>['data'];
