import { isDeepStrictEqual } from 'node:util';
import Big from 'big.js';
import type { AuditedBalance } from '../../domain/referral/account/audited-units.ts';
import { type Closing, closeBooks } from '../../domain/referral/account/closing.ts';
import { booksStream } from '../../domain/streams.ts';
import type { EventLog, RecordedCommit } from '../../log/port.ts';
import { type AccountKey, Books, closingsOf, type FoldedAccount, nothingFolded } from './books.ts';

/** A fault at a revision of a stream. */
export interface StreamProblem {
  readonly stream: string;
  readonly revision: number;
  readonly message: string;
}

/**
 * Compares the closings of an account with its commits. Folds the commits as decisions do, without the closings. What
 * it folds has a meaning only as long as the account breaks no rule.
 */
export class AuditedClosings {
  private readonly books: Books;
  private readonly folded: FoldedAccount;
  private readonly closings: ReturnType<typeof closingsOf>;
  private next: { readonly commit: RecordedCommit; readonly closing: Closing } | undefined;

  /** @param last the last closing to compare: later ones may be of commits that come during the audit */
  private constructor(
    log: EventLog,
    key: AccountKey,
    private readonly last: number,
  ) {
    this.books = new Books(log, Number.POSITIVE_INFINITY);
    this.folded = nothingFolded(key);
    this.closings = closingsOf(log, key);
  }

  static async begin(log: EventLog, key: AccountKey): Promise<AuditedClosings> {
    const stream = booksStream(key.bot, key.userId);
    const heads = await log.streamHeads([stream]);
    const begun = new AuditedClosings(log, key, heads.get(stream)?.revision ?? 0);
    await begun.proceed();
    return begun;
  }

  /**
   * Takes the next commit of the account.
   * @param balancesAt by the auditor's own fold of the commits so far; they share no code with the closing
   * @returns the problems of this commit's closing
   */
  async take(
    commit: RecordedCommit,
    balancesAt: (now: number) => ReadonlyMap<number | null, AuditedBalance>,
  ): Promise<StreamProblem[]> {
    if (this.next === undefined) return [];
    await this.books.fold(this.folded, commit);
    const problems: StreamProblem[] = [];
    while (this.next !== undefined && this.next.closing.revision <= commit.revision!) {
      const { closing } = this.next;
      const closed = this.folded.state.closed.at(-1)?.last.revision ?? 0;
      const message =
        closing.revision === commit.revision && closing.revision > closed
          ? this.difference(closing, balancesAt(closing.at))
          : `the closing of revision ${closing.revision} comes after one of that revision or a later one`;
      if (message !== null) problems.push(this.problem(message));
      await this.proceed();
    }
    return problems;
  }

  /** Ends the comparison. @returns a problem for each closing after the last commit */
  async end(): Promise<StreamProblem[]> {
    const problems: StreamProblem[] = [];
    for (; this.next !== undefined; await this.proceed())
      problems.push(this.problem(`it closes revision ${this.next.closing.revision}, which the account does not have`));
    return problems;
  }

  private difference(closing: Closing, audited: ReadonlyMap<number | null, AuditedBalance>): string | null {
    const expected = closeBooks(this.folded.state, this.folded.head);
    const different = Object.entries(expected)
      .filter(([name, value]) => !isDeepStrictEqual(value, closing[name as keyof Closing]))
      .map(([name]) => name);
    if (different.length > 0)
      return `the closing of revision ${expected.revision} differs from the account: ${different.join(', ')}`;
    if (isDeepStrictEqual(balancesIn(closing), audited)) return null;
    return `the closing of revision ${expected.revision} has other sums than the rules come to`;
  }

  private problem(message: string): StreamProblem {
    const { key } = this.folded;
    return { stream: booksStream(key.bot, key.userId), revision: this.next!.commit.revision!, message };
  }

  private async proceed(): Promise<void> {
    const revision = this.next?.commit.revision ?? 0;
    this.next = revision === this.last ? undefined : (await this.closings.next()).value;
  }
}

function balancesIn({ units }: Closing): Map<number | null, AuditedBalance> {
  return new Map(
    units.map(({ unit_id, confirmed, held, reserved, paid }) => {
      const available = new Big(confirmed).minus(reserved).minus(paid).toFixed();
      return [unit_id, { available, reserved, paid, on_hold: held }];
    }),
  );
}
