import type { ClientBase } from 'pg';
import type { CodeOwned } from '../../domain/referral/attribution.ts';
import { copyInto, copyLine, numbers } from '../batch-sql.ts';
import { ordOf } from '../intake-state.ts';
import type { ReadCommit } from '../read-model.ts';
import { type Bot, updateReferrers } from './referral-load.ts';

/** Writes the rows that the bots' commits added, and empties the lists of rows to write. */
export async function writeAdded(tx: ClientBase, bots: readonly Bot[]): Promise<void> {
  const of = <T>(pick: (bot: Bot) => Iterable<T>): { bot_id: number; row: T }[] =>
    bots.flatMap((bot) => [...pick(bot)].map((row) => ({ bot_id: bot.bot_id, row })));
  await copyInto(
    tx,
    'known_users',
    'bot_id, user_id',
    of(({ added }) => added.users).map(({ bot_id, row }) => copyLine([bot_id, row])),
  );
  const referrals = of(({ added }) => added.referrals);
  await copyInto(
    tx,
    'referrals',
    'bot_id, user_id, referrer_id, code, date, ord',
    referrals.map(({ bot_id, row }) => copyLine([bot_id, row.user_id, row.referrer_id, row.code, row.date, row.ord])),
  );
  await countReferrals(
    tx,
    referrals.map(({ bot_id, row }) => ({ bot_id, referrer_id: row.referrer_id })),
  );
  await writeCodes(
    tx,
    of(({ added }) => added.codes.values()).map(({ bot_id, row }) => ({ bot_id, ...row })),
  );
  await writeVisits(
    tx,
    of(({ added }) => added.visits.values()).map(({ bot_id, row }) => ({ bot_id, ...row })),
  );
  await copyInto(
    tx,
    'outcomes',
    'bot_id, commit_id, date, outcome',
    of(({ added }) => added.outcomes).map(({ bot_id, row }) =>
      copyLine([bot_id, row.commit_id, row.date, JSON.stringify(row.outcome)]),
    ),
  );
  for (const { added } of bots) {
    added.users = [];
    added.referrals = [];
    added.outcomes = [];
    added.codes.clear();
    added.visits.clear();
  }
}

/** Adds one to the count of each referral's referrer. */
async function countReferrals(
  tx: ClientBase,
  referrals: readonly { readonly bot_id: number; readonly referrer_id: number }[],
): Promise<void> {
  if (referrals.length === 0) return;
  await tx.query({
    name: 'referral.count_referrals',
    text: `INSERT INTO referrers AS r (bot_id, user_id, referrals)
           SELECT bot_id, referrer_id, count(*) FROM unnest($1::int[], $2::bigint[]) AS n (bot_id, referrer_id)
            GROUP BY bot_id, referrer_id
           ON CONFLICT (bot_id, user_id) DO UPDATE SET referrals = r.referrals + EXCLUDED.referrals`,
    values: [numbers(referrals.map(({ bot_id }) => bot_id)), numbers(referrals.map(({ referrer_id }) => referrer_id))],
  });
}

async function writeCodes(tx: ClientBase, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'referral.write_codes',
    text: `INSERT INTO codes SELECT * FROM jsonb_populate_recordset(NULL::codes, $1)
           ON CONFLICT (bot_id, code) DO UPDATE SET
             owner_id = EXCLUDED.owner_id, listed = EXCLUDED.listed, date_create = EXCLUDED.date_create,
             ord = EXCLUDED.ord`,
    values: [JSON.stringify(rows)],
  });
}

/** Writes visits. The earliest visit of a user by a code stays; of equal dates, the first in the log. */
async function writeVisits(tx: ClientBase, rows: readonly object[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'referral.write_visits',
    text: `INSERT INTO visits AS v SELECT * FROM jsonb_populate_recordset(NULL::visits, $1)
           ON CONFLICT (bot_id, code, user_id) DO UPDATE SET date = EXCLUDED.date, ord = EXCLUDED.ord
            WHERE EXCLUDED.date < v.date`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Makes referrals of the visits that waited for an owner of these codes, in the order of the codes, unless the user has
 * a referrer or is the owner. There may be millions of visits, so they stay in the database. All earlier rows must have
 * been written. The outcome of the commit that set the owners gets the counts.
 */
export async function backfill(
  tx: ClientBase,
  bot: Bot,
  codes: readonly CodeOwned[],
  { commitId, ord }: { readonly commitId: string; readonly ord: number },
): Promise<void> {
  const { rows } = await tx.query<{ code: string; count: number }>({
    name: 'referral.backfill',
    text: `WITH owned AS (SELECT * FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS o (code, owner_id, i)),
                waited AS (DELETE FROM visits v USING owned o WHERE v.bot_id = $1 AND v.code = o.code
                           RETURNING v.user_id, v.date, o.code, o.owner_id, o.i),
                free AS (SELECT DISTINCT ON (w.user_id) w.* FROM waited w
                          WHERE w.user_id <> w.owner_id
                            AND NOT EXISTS (SELECT FROM referrals r WHERE r.bot_id = $1 AND r.user_id = w.user_id)
                          ORDER BY w.user_id, w.i),
                referred AS (INSERT INTO referrals (bot_id, user_id, referrer_id, code, date, ord)
                             SELECT $1, user_id, owner_id, code, date, $4 FROM free RETURNING code, referrer_id),
                counted AS (INSERT INTO referrers AS r (bot_id, user_id, referrals)
                            SELECT $1::int, referrer_id, count(*) FROM referred GROUP BY referrer_id
                            ON CONFLICT (bot_id, user_id) DO UPDATE SET referrals = r.referrals + EXCLUDED.referrals)
           SELECT code, count(*)::int FROM referred GROUP BY code`,
    values: [bot.bot_id, codes.map(({ code }) => code), numbers(codes.map(({ owner_id }) => owner_id)), ord],
  });
  if (rows.length === 0) return;
  await updateReferrers(tx, [bot]);
  await tx.query({
    name: 'referral.count_backfilled',
    text: `UPDATE outcomes SET outcome = jsonb_set(outcome, '{backfilled}', $3) WHERE bot_id = $1 AND commit_id = $2`,
    values: [bot.bot_id, commitId, JSON.stringify(Object.fromEntries(rows.map(({ code, count }) => [code, count])))],
  });
}

/** Writes the rules and units of a commit. A bot has a handful of them, so each is a separate statement. */
export async function writeRules(tx: ClientBase, { bot_id }: Bot, commit: ReadCommit): Promise<void> {
  for (const event of commit.events)
    switch (event.type) {
      case 'unit_created':
        await one(tx, 'INSERT INTO units SELECT * FROM jsonb_populate_record(NULL::units, $1)', {
          bot_id,
          ...event.data,
        });
        break;
      case 'reward_rule_created':
      case 'reward_rule_changed':
        await one(tx, ADD_STATE, { bot_id, ord: ordOf(commit), ...event.data });
        break;
    }
}

/** A rule's next state is its last one with the changed fields replaced. The first event has all fields. */
const ADD_STATE = `
  INSERT INTO rules
  SELECT (jsonb_populate_record(
    (SELECT r FROM rules r
      WHERE r.bot_id = (n.rule->>'bot_id')::int AND r.rule_id = (n.rule->>'rule_id')::bigint
      ORDER BY r.ord DESC LIMIT 1), n.rule)).*
    FROM (SELECT $1::jsonb AS rule) n`;

async function one(tx: ClientBase, text: string, row: object): Promise<void> {
  await tx.query(text, [JSON.stringify(row)]);
}
