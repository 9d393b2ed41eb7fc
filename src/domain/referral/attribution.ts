import { z } from 'zod';
import { eventType } from '../event-type.ts';

/**
 * Stream `referral-<bot>`: codes, their owners, and referrals. The order of the bot's log, with its visits, decides the
 * outcome of each event: the first event wins. What a writer has read does not matter.
 */

const userId = z.number().int().positive();
/** A /start payload: 1 to 64 of [A-Za-z0-9_-]. */
const code = z.string();

/** From create-code. A code that already has an owner keeps it. */
export const referralCodeCreated = eventType('referral_code_created', 1, z.object({ code, user_id: userId }));

/** From set-code-owners, in order. A code that already has an owner keeps it. */
export const referralCodeOwnersSet = eventType(
  'referral_code_owners_set',
  1,
  z.object({ elements: z.array(z.object({ code, user_id: userId })).min(1) }),
);

/** From mark-referral, by a code or by a referrer. */
export const referralMarked = eventType(
  'referral_marked',
  1,
  z.object({
    referral_user_id: userId,
    /** Null if the referrer is given. */
    code: code.nullable(),
    /** Null if a code is given. */
    referrer_id: userId.nullable(),
    /** The code that this event gives a referrer without one; null: the writer saw that the referrer has a code. */
    new_code: code.nullable(),
  }),
);

/**
 * The owners of codes and the referrers of users (interface.md, "Referral attribution"; decisions.md#code-owners,
 * #attribution) are a fold over a bot's log. The first fact wins, per code and per user. The state of the earlier facts
 * decides each fact. The log takes every fact, also a fact without an effect.
 */

/** The state after the facts so far. It has only the data that decisions on later facts need. */
export interface Attribution {
  /** Known codes with their owners; null: a visit or a mark named the code before it had an owner. */
  readonly codes: Map<string, number | null>;
  /** Users who own a code. */
  readonly owners: Set<number>;
  /** Referrers by referred user. */
  readonly referrers: Map<number, number>;
}

/** A visit by a known user. The visit itself may be the first contact. */
interface Visited {
  readonly type: 'visited';
  readonly user_id: number;
  readonly code: string;
  /** ms UTC */
  readonly date: number;
  /** False: the bot refers only users first seen by a visit, and this user was known before. */
  readonly refers: boolean;
}

interface CodeCreated {
  readonly type: 'code_created';
  readonly code: string;
  readonly user_id: number;
}

interface OwnersSet {
  readonly type: 'owners_set';
  readonly elements: readonly { readonly code: string; readonly user_id: number }[];
}

interface Marked {
  readonly type: 'marked';
  readonly referral_user_id: number;
  readonly code: string | null;
  readonly referrer_id: number | null;
  readonly new_code: string | null;
  /** Receipt, ms UTC. It is the date of the referral, because a mark has no visit. */
  readonly at: number;
}

export type Fact = Visited | CodeCreated | OwnersSet | Marked;

/** One change that a fact makes. */
export type Effect =
  /** The code is known and has no owner. */
  | { readonly type: 'code_known'; readonly code: string }
  | CodeOwned
  /** The visit counts as soon as its code has an owner. */
  | { readonly type: 'visit_waits'; readonly user_id: number; readonly code: string; readonly date: number }
  | {
      readonly type: 'user_referred';
      readonly user_id: number;
      readonly referrer_id: number;
      readonly code: string | null;
      readonly date: number;
    };

export interface CodeOwned {
  readonly type: 'code_owned';
  readonly code: string;
  readonly owner_id: number;
  /** Whether create-code made the code. Only such codes are listed. */
  readonly listed: boolean;
  /** Whether the code was known before, so that visits may wait for its owner. The earliest visit of each user then refers. */
  readonly awaited: boolean;
}

/** The answer to the caller of the endpoint that caused a fact. */
export type Outcome =
  /** False: the code existed already, so the fact creates no code. */
  | { readonly type: 'code_created'; readonly created: boolean }
  /** In the order of the elements. The read model counts the users whose visits waited. */
  | { readonly type: 'owners_set'; readonly results: readonly OwnerResult[] }
  | {
      readonly type: 'marked';
      readonly referrer_id: number | null;
      /** The code that the caller sent, or the code that this fact gave the referrer. */
      readonly code: string | null;
      readonly already_attributed: boolean;
    }
  /** The mark has no effect. */
  | { readonly type: 'mark_refused'; readonly reason: 'self' | 'unknown_code' | 'code_taken' };

interface OwnerResult {
  readonly code: string;
  readonly owner_id: number;
  /** Whether the code had no owner before. */
  readonly created: boolean;
}

export interface AttributionDecision {
  readonly effects: readonly Effect[];
  /** Null: the fact has no caller. */
  readonly outcome: Outcome | null;
}

export function emptyAttribution(): Attribution {
  return { codes: new Map(), owners: new Set(), referrers: new Map() };
}

export function decideAttribution(state: Attribution, fact: Fact): AttributionDecision {
  switch (fact.type) {
    case 'visited':
      return { effects: visited(state, fact), outcome: null };
    case 'code_created':
      return codeCreated(state, fact);
    case 'owners_set':
      return ownersSet(state, fact);
    case 'marked':
      return marked(state, fact);
  }
}

/** Changes the state in place: see Decider. */
export function evolveAttribution(state: Attribution, effect: Effect): Attribution {
  switch (effect.type) {
    case 'code_known':
      state.codes.set(effect.code, null);
      break;
    case 'code_owned':
      state.codes.set(effect.code, effect.owner_id);
      state.owners.add(effect.owner_id);
      break;
    case 'user_referred':
      state.referrers.set(effect.user_id, effect.referrer_id);
      break;
    case 'visit_waits':
  }
  return state;
}

function visited(state: Attribution, { user_id, code, date, refers }: Visited): Effect[] {
  const owner_id = state.codes.get(code);
  const known: Effect[] = owner_id === undefined ? [{ type: 'code_known', code }] : [];
  // A user keeps the first referrer forever, and no user refers themselves.
  if (!refers || state.referrers.has(user_id) || owner_id === user_id) return known;
  if (owner_id === undefined || owner_id === null) return [...known, { type: 'visit_waits', user_id, code, date }];
  return [{ type: 'user_referred', user_id, referrer_id: owner_id, code, date }];
}

/** Creates a code, unless the code is known, even only from a visit. The caller then tries another code. */
function codeCreated(state: Attribution, { code, user_id }: CodeCreated): AttributionDecision {
  const created = !state.codes.has(code);
  const effects: Effect[] = created
    ? [{ type: 'code_owned', code, owner_id: user_id, listed: true, awaited: false }]
    : [];
  return { effects, outcome: { type: 'code_created', created } };
}

function ownersSet({ codes }: Attribution, { elements }: OwnersSet): AttributionDecision {
  const owned = new Map<string, number>();
  const effects: Effect[] = [];
  const results = elements.map(({ code, user_id }): OwnerResult => {
    const owner_id = owned.get(code) ?? codes.get(code);
    if (owner_id !== undefined && owner_id !== null) return { code, owner_id, created: false };
    owned.set(code, user_id);
    effects.push({ type: 'code_owned', code, owner_id: user_id, listed: false, awaited: owner_id === null });
    return { code, owner_id: user_id, created: true };
  });
  return { effects, outcome: { type: 'owners_set', results } };
}

function marked(
  state: Attribution,
  { referral_user_id: user_id, code, referrer_id, new_code, at }: Marked,
): AttributionDecision {
  const owner_id = code === null ? referrer_id : state.codes.get(code);
  if (owner_id === user_id) return refused('self');
  if (owner_id === undefined) return refused('unknown_code');
  const known = state.referrers.get(user_id);
  if (known !== undefined) return answered([], known, code, true);
  // A mark by a code without an owner is like a visit: the user has no referrer until the code has an owner.
  if (owner_id === null) return answered([{ type: 'visit_waits', user_id, code: code!, date: at }], null, code, false);
  const gives = code === null && new_code !== null && !state.owners.has(owner_id);
  if (gives && state.codes.has(new_code)) return refused('code_taken');
  const given: Effect[] = gives
    ? [{ type: 'code_owned', code: new_code, owner_id, listed: false, awaited: false }]
    : [];
  const by = gives ? new_code : code;
  const referred: Effect = { type: 'user_referred', user_id, referrer_id: owner_id, code: by, date: at };
  return answered([...given, referred], owner_id, by, false);
}

function answered(
  effects: readonly Effect[],
  referrer_id: number | null,
  code: string | null,
  already_attributed: boolean,
): AttributionDecision {
  return { effects, outcome: { type: 'marked', referrer_id, code, already_attributed } };
}

function refused(reason: 'self' | 'unknown_code' | 'code_taken'): AttributionDecision {
  return { effects: [], outcome: { type: 'mark_refused', reason } };
}
