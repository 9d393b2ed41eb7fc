import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../../database/of-bot.ts';
import { partitionOf } from '../../log/port.ts';
import { copyInto, copyLine, nameOf } from '../batch-sql.ts';
import type { Refusal, Rewardable } from './batch.ts';
import { PAYLOAD, SOURCE } from './bot-error-rows.ts';
import { restoreRows } from './packed/restore-rows.ts';

/**
 * The events that accruals of the referral program are computed from: they count and trigger a rule of their bot.
 * `position` is the commit by which the event came to count. For an event that waited for its user, that is a later one
 * than its own.
 */
export const REWARDS_DDL = `
CREATE TABLE rewardable_events (
  ord bigint NOT NULL,
  user_id bigint NOT NULL,
  date bigint NOT NULL,
  date_received bigint NOT NULL,
  commit_id uuid NOT NULL,
  bot_id int NOT NULL,
  event_id int NOT NULL,
  lane int NOT NULL,
  idx smallint NOT NULL,
  /* in normal units of its unit, if it has one; null: no value, or an unknown unit */
  value numeric,
  unit text,
  /* of the commit by which it came to count */
  position text COLLATE "C" NOT NULL,
  /* of the same commit, if it is traced */
  trace text,
  PRIMARY KEY (lane, position, bot_id, ord)
);
`;

export async function writeRewardable(tx: ClientBase, rewardable: readonly Rewardable[]): Promise<void> {
  const lines = rewardable.map(({ event: e, value, position, trace }) =>
    copyLine([
      e.ord,
      e.user_id,
      e.date,
      e.date_received,
      e.commit_id,
      e.bot_id,
      e.event_id,
      partitionOf(position),
      e.idx,
      value,
      e.unit,
      position,
      trace ?? null,
    ]),
  );
  const columns =
    'ord, user_id, date, date_received, commit_id, bot_id, event_id, lane, idx, value, unit, position, trace';
  await copyInto(tx, 'rewardable_events', columns, lines);
}

/** Reasons that are no error: the rule intends them. */
const INTENDED: readonly Refusal['refused']['reason'][] = ['no_value', 'not_positive'];

/** Writes the errors, each with the element as sent, from the row of the event. */
export async function writeRefusals(tx: ClientBase, refusals: readonly Refusal[]): Promise<void> {
  const errors = refusals
    .filter(({ refused }) => !INTENDED.includes(refused.reason))
    .map(({ bot_id, commit_id, idx, at, refused: { rule_id, referral_id, reason, event }, rule }) => {
      const named = { user_id: referral_id, event_commit: event.commit_id, event_idx: event.index, date: event.date };
      return { bot_id, commit_id, idx, at, rule: `Rule ${rule_id} (${rule})`, reason, ...named };
    });
  if (errors.length === 0) return;
  await restoreRows(
    tx,
    errors.map(({ bot_id, user_id, date }) => ({ bot_id, user_id, from: date, until: date })),
  );
  const only = onlyBot(
    tx,
    errors.map(({ bot_id }) => bot_id),
  );
  await tx.query({
    name: nameOf('events.write_refusals', only),
    text: `INSERT INTO bot_errors (bot_id, commit_id, idx, kind, date, source, message, payload, resolved_at)
           SELECT r.bot_id, r.commit_id, r.idx, 'warning', r.at, ${SOURCE},
                  r.rule || CASE r.reason
                    WHEN 'unknown_unit' THEN ': unit ' || e.unit || ' is neither a unit of the bot nor a currency'
                    ELSE ': no exchange rate for ' || e.unit || ' on '
                         || to_char(to_timestamp(e.date / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD') END,
                  ${PAYLOAD}, NULL
             FROM jsonb_to_recordset($1) AS r (
                    bot_id int, commit_id uuid, idx smallint, at bigint, rule text, reason text, user_id bigint,
                    event_commit uuid, event_idx smallint, date bigint)
             JOIN events e ON e.bot_id = r.bot_id AND e.user_id = r.user_id AND e.date = r.date
                          AND e.commit_id = r.event_commit AND e.idx = r.event_idx
             JOIN event_types t ON t.bot_id = e.bot_id AND t.event_id = e.event_id
            WHERE ${ofBot('e.bot_id', only)} AND ${ofBot('t.bot_id', only)}`,
    values: [JSON.stringify(errors)],
  });
}
