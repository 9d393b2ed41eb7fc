import { type AccountBalanceRow, balancesOf } from '../../queries/referral/find-balance.ts';
import { type AnswersDiff, answerTally } from './answer-tally.ts';
import type { AnswerOptions } from './pinned-reader.ts';

/** So many accounts are read at once; those of one bot are one question for the times. */
const PAGE = 1000;

interface AccountKey {
  readonly public_key: string;
  readonly user_id: number;
}

/** Compares the balances of all accounts, also of accounts that only one version has. */
export async function accountAnswers({ reader, now, elapsed, signal, shown }: AnswerOptions): Promise<AnswersDiff[]> {
  const { tx, late } = reader;
  const { before, after } = await reader.at('accounts');
  const tally = answerTally('balances', elapsed);
  let last: AccountKey = { public_key: '', user_id: 0 };
  for (let done = 0; ; ) {
    signal.throwIfAborted();
    shown('balances', done, null);
    const { rows } = await tx.query<AccountKey>(
      `SELECT public_key, user_id::float8 FROM (${pageOf(before.accounts)} UNION ${pageOf(after.accounts)}) AS a
        ORDER BY a.public_key, a.user_id LIMIT ${PAGE}`,
      [last.public_key, last.user_id],
    );
    if (rows.length === 0) return [tally.result];
    last = rows.at(-1)!;
    done += rows.length;
    for (const [bot, users] of groupsOf(rows, ({ public_key }) => public_key)) {
      if (late.has(bot)) continue;
      const ids = users.map(({ user_id }) => user_id);
      const question = { bot, users_from: ids[0]!, users_to: ids.at(-1)! };
      const answers = await tally.ask(
        question,
        () => balancesOf({ pool: tx, ...before }, bot, ids, now),
        () => balancesOf({ pool: tx, ...after }, bot, ids, now),
      );
      const [first, second] = [groupsOf(answers.before, userOf), groupsOf(answers.after, userOf)];
      for (const user of ids)
        tally.count({ bot, user }, { before: unitsOf(first.get(user)), after: unitsOf(second.get(user)) });
    }
  }
}

const pageOf = (schema: string): string => `(SELECT public_key, user_id FROM ${schema}.accounts
   WHERE (public_key, user_id) > ($1, $2::bigint) ORDER BY public_key, user_id LIMIT ${PAGE})`;

const userOf = ({ user_id }: AccountBalanceRow): number => user_id;

function groupsOf<Key, Row>(rows: readonly Row[], keyOf: (row: Row) => Key): ReadonlyMap<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}

function unitsOf(rows: readonly AccountBalanceRow[] = []): Omit<AccountBalanceRow, 'user_id'>[] {
  return rows.map(({ user_id: _, ...balance }) => balance);
}
