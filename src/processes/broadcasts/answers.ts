import type { Answered } from '../../domain/broadcast/sending.ts';

/** What became of recipients, until it is in the log. */
export interface Answers {
  /** How many are not in the log. */
  readonly size: number;
  /** @returns how many there are of the claim */
  add(claim: number, answered: Answered, now: number): number;
  /**
   * Takes those of claims that are answered whole, and those that have waited for long; with `all` every one.
   * @param openOf how many recipients of a claim have no outcome in the log
   */
  take(openOf: (claim: number) => number, now: number, all: boolean): ReadonlyMap<number, readonly Answered[]>;
}

/** Answers go together into one commit, but not while what is claimed runs out. */
const PATIENCE_MS = 300;

export function createAnswers(): Answers {
  const byClaim = new Map<number, { readonly answered: Answered[]; readonly since: number }>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(claim, answered, now) {
      const of = byClaim.get(claim) ?? { answered: [], since: now };
      byClaim.set(claim, of);
      size++;
      return of.answered.push(answered);
    },
    take(openOf, now, all) {
      const taken = new Map<number, readonly Answered[]>();
      for (const [claim, { answered, since }] of byClaim) {
        if (!all && answered.length < openOf(claim) && now - since < PATIENCE_MS) continue;
        taken.set(claim, answered);
        byClaim.delete(claim);
        size -= answered.length;
      }
      return taken;
    },
  };
}
