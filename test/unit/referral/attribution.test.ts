import { describe, expect, it } from 'vitest';
import {
  type Attribution,
  decideAttribution,
  type Effect,
  emptyAttribution,
  evolveAttribution,
  type Fact,
  type Outcome,
} from '../../../src/domain/referral/attribution.ts';

/** Owners of codes and referrers of users: each row of the state table (interface.md, "Referral attribution"). */

function given(...past: readonly Effect[]) {
  const state = past.reduce<Attribution>(evolveAttribution, emptyAttribution());
  return {
    when(fact: Fact) {
      const { effects, outcome } = decideAttribution(state, fact);
      return {
        yields(...expected: readonly Effect[]) {
          expect(effects).toEqual(expected);
          return this;
        },
        andAnswers(expected: Outcome | null) {
          expect(outcome).toEqual(expected);
        },
      };
    },
  };
}

const [ANN, BEN, CAL] = [1, 2, 3];
const DATE = Date.UTC(2026, 0, 15);

const owned = (code: string, owner_id: number, more: object = {}): Effect => ({
  type: 'code_owned',
  code,
  owner_id,
  listed: false,
  awaited: false,
  ...more,
});
const known = (code: string): Effect => ({ type: 'code_known', code });
const referred = (user_id: number, referrer_id: number, code: string | null = 'a'): Effect => ({
  type: 'user_referred',
  user_id,
  referrer_id,
  code,
  date: DATE,
});
const waits = (user_id: number, code = 'a'): Effect => ({ type: 'visit_waits', user_id, code, date: DATE });
const visit = (user_id: number, code = 'a', refers = true): Fact => ({
  type: 'visited',
  user_id,
  code,
  date: DATE,
  refers,
});
const mark = (referral_user_id: number, by: Partial<Extract<Fact, { type: 'marked' }>>): Fact => ({
  type: 'marked',
  referral_user_id,
  code: null,
  referrer_id: null,
  new_code: null,
  at: DATE,
  ...by,
});
const marked = (referrer_id: number | null, code: string | null, already_attributed = false): Outcome => ({
  type: 'marked',
  referrer_id,
  code,
  already_attributed,
});
const refused = (reason: 'self' | 'unknown_code' | 'code_taken'): Outcome => ({ type: 'mark_refused', reason });

describe('a visit', () => {
  it('by a code with an owner refers a user without a referrer', () => {
    given(owned('a', ANN)).when(visit(BEN)).yields(referred(BEN, ANN)).andAnswers(null);
  });

  it('never takes a user from a referrer', () => {
    given(owned('a', ANN), owned('c', CAL), referred(BEN, ANN)).when(visit(BEN, 'c')).yields();
  });

  it('by the owner of the code refers no user', () => {
    given(owned('a', ANN)).when(visit(ANN)).yields();
  });

  it('by a code without an owner waits for one, and makes the code known', () => {
    given().when(visit(BEN)).yields(known('a'), waits(BEN));
    given(known('a')).when(visit(BEN)).yields(waits(BEN));
    given(known('a'), owned('c', CAL), referred(BEN, CAL, 'c'))
      .when(visit(BEN))
      .yields();
  });

  it('that may not refer only makes the code known', () => {
    given()
      .when(visit(BEN, 'a', false))
      .yields(known('a'));
    given(owned('a', ANN))
      .when(visit(BEN, 'a', false))
      .yields();
  });
});

describe('create-code', () => {
  const create: Fact = { type: 'code_created', code: 'a', user_id: ANN };

  it('gives a user a code, which is listed', () => {
    given()
      .when(create)
      .yields(owned('a', ANN, { listed: true }))
      .andAnswers({ type: 'code_created', created: true });
  });

  it.each([[owned('a', ANN)], [owned('a', BEN)], [known('a')]])('has no effect after %j', (before) => {
    given(before).when(create).yields().andAnswers({ type: 'code_created', created: false });
  });
});

describe('set-code-owners', () => {
  it('gives codes their owners, in order; a code with an owner keeps it', () => {
    const elements = [
      { code: 'a', user_id: ANN },
      { code: 'b', user_id: ANN },
      { code: 'c', user_id: BEN },
      { code: 'a', user_id: BEN },
    ];
    given(owned('b', CAL), known('c'))
      .when({ type: 'owners_set', elements })
      .yields(owned('a', ANN), owned('c', BEN, { awaited: true }))
      .andAnswers({
        type: 'owners_set',
        results: [
          { code: 'a', owner_id: ANN, created: true },
          { code: 'b', owner_id: CAL, created: false },
          { code: 'c', owner_id: BEN, created: true },
          { code: 'a', owner_id: ANN, created: false },
        ],
      });
  });
});

describe('mark-referral by a code', () => {
  const byA = mark(BEN, { code: 'a' });

  it('refers a user without a referrer', () => {
    given(owned('a', ANN)).when(byA).yields(referred(BEN, ANN)).andAnswers(marked(ANN, 'a'));
  });

  it('answers the present referrer of a user who has one', () => {
    given(owned('a', ANN), referred(BEN, CAL))
      .when(byA)
      .yields()
      .andAnswers(marked(CAL, 'a', true));
    given(known('a'), referred(BEN, CAL))
      .when(byA)
      .yields()
      .andAnswers(marked(CAL, 'a', true));
  });

  it('without an owner waits like a visit', () => {
    given(known('a')).when(byA).yields(waits(BEN)).andAnswers(marked(null, 'a'));
  });

  it('of the users themselves is refused, also if they have a referrer', () => {
    given(owned('a', BEN)).when(byA).yields().andAnswers(refused('self'));
    given(owned('a', BEN), referred(BEN, ANN)).when(byA).yields().andAnswers(refused('self'));
  });

  it('that is unknown is refused, also if the user has a referrer', () => {
    given().when(byA).yields().andAnswers(refused('unknown_code'));
    given(referred(BEN, ANN)).when(byA).yields().andAnswers(refused('unknown_code'));
  });
});

describe('mark-referral by a referrer', () => {
  const byAnn = mark(BEN, { referrer_id: ANN, new_code: 'n' });

  it('gives a referrer without a code the new one', () => {
    given()
      .when(byAnn)
      .yields(owned('n', ANN), referred(BEN, ANN, 'n'))
      .andAnswers(marked(ANN, 'n'));
  });

  it.each([true, false])('gives one who has a code (listed: %s) none', (listed) => {
    given(owned('a', ANN, { listed }))
      .when(byAnn)
      .yields(referred(BEN, ANN, null))
      .andAnswers(marked(ANN, null));
  });

  it('gives no code if the user has a referrer', () => {
    given(referred(BEN, CAL))
      .when(byAnn)
      .yields()
      .andAnswers(marked(CAL, null, true));
  });

  it('who is the user is refused', () => {
    given()
      .when(mark(ANN, { referrer_id: ANN, new_code: 'n' }))
      .yields()
      .andAnswers(refused('self'));
  });

  it('has no effect if the new code is taken, so that another is tried', () => {
    for (const before of [known('n'), owned('n', CAL)])
      given(before).when(byAnn).yields().andAnswers(refused('code_taken'));
  });

  it('lets two users refer each other', () => {
    given(owned('a', ANN), owned('b', BEN), referred(BEN, ANN))
      .when(mark(ANN, { referrer_id: BEN }))
      .yields(referred(ANN, BEN, null));
  });
});
