import type { ClientBase } from 'pg';
import { SALE_GOAL } from '../../domain/intake/system-events.ts';
import type { LedgerEvent } from '../../domain/ledger-events.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';
import { catalogManifest } from './manifest.ts';
import { CATALOG_DDL, CATALOG_PLACEMENT } from './tables.ts';

/**
 * Owners, bots, keys, goals, units, exchange rates, operators, their jobs and audits as of now. Names of events are in the
 * read model `events`.
 */
export const catalogReadModel: ReadModel = {
  ...catalogManifest,
  events: [
    'owner_created',
    'owner_changed',
    'key_issued',
    'key_revoked',
    'bot_created',
    'bot_changed',
    'webhook_secret_rotated',
    'unit_created',
    'goal_created',
    'event_described',
    'exchange_rate_set',
    'operator_issued',
    'operator_revoked',
    'job_requested',
    'job_finished',
    'ledger_audited',
  ],
  // For the bots' tokens.
  personal: true,
  ddl: CATALOG_DDL,
  placement: CATALOG_PLACEMENT,

  async apply(tx, commits) {
    const rates: ExchangeRateRow[] = [];
    for (const commit of commits) {
      for (const event of commit.events) {
        if (event.type === 'exchange_rate_set') rates.push(event.data);
        else await applyEvent(tx, commit, event);
      }
    }
    // No other event reads rates, so all are written at once.
    await upsertExchangeRates(tx, rates);
  },
};

async function applyEvent(tx: ClientBase, { id, stream, at }: ReadCommit, event: LedgerEvent): Promise<void> {
  const key = keyOf(stream);
  switch (event.type) {
    case 'owner_created':
      return insert(tx, 'owners', { demo: false, ...event.data, created_at: at });
    case 'owner_changed':
      return change(tx, CHANGE_OWNER, key, event.data);
    case 'key_issued': {
      const { scope, ...issued } = event.data;
      const bots = scope.type === 'all' ? null : scope.bots;
      return insert(tx, 'keys', { is_revoked: false, ...issued, bots, owner_id: key, issued_at: at });
    }
    case 'key_revoked':
      return one(
        tx,
        'UPDATE keys SET revoked_at = least(revoked_at, $2), is_revoked = is_revoked OR $3 WHERE key_id = $1',
        [event.data.key_id, event.data.at, event.data.at_once === true],
      );
    case 'bot_created':
      await insert(tx, 'bots', { ...event.data, created_at: at });
      return insert(tx, 'goals', { ...SALE_GOAL, bot_id: event.data.bot_id });
    case 'bot_changed':
    case 'webhook_secret_rotated':
      return change(tx, CHANGE_BOT, key, event.data);
    case 'unit_created': {
      const { unit_id, code, name, scale } = event.data;
      return one(tx, INSERT_UNIT, [key, unit_id, code, name, scale]);
    }
    case 'goal_created': {
      const { target_id, event_id, name } = event.data;
      return one(tx, INSERT_GOAL, [key, target_id, event_id, name]);
    }
    case 'event_described': {
      const { event_id, title, description, hidden } = event.data;
      return one(tx, SET_EVENT_WORDS, [key, event_id, title, description, hidden]);
    }
    case 'operator_issued':
      return insert(tx, 'operators', { ...event.data, issued_at: at });
    case 'operator_revoked':
      return one(tx, 'UPDATE operators SET revoked_at = $2 WHERE operator_id = $1', [event.data.operator_id, at]);
    case 'job_requested':
      return insert(tx, 'jobs', { ...event.data, requested_at: at });
    case 'job_finished': {
      const { job_id, outcome, summary, findings, findings_count } = event.data;
      return one(tx, FINISH_JOB, [job_id, outcome, summary, JSON.stringify(findings), findings_count, at]);
    }
    case 'ledger_audited':
      return insert(tx, 'command_audits', { commit_id: id, at, outcome: event.data.outcome });
    default:
      return;
  }
}

type Table = 'owners' | 'keys' | 'bots' | 'goals' | 'operators' | 'jobs' | 'command_audits';

/** Inserts a row by its columns' names; absent columns are null. */
function insert(tx: ClientBase, table: Table, row: object): Promise<void> {
  return one(tx, `INSERT INTO ${table} SELECT * FROM jsonb_populate_record(NULL::${table}, $1)`, [JSON.stringify(row)]);
}

// jsonb_populate_record keeps the row's value of an absent key; a key with null sets null.
const CHANGE_OWNER = `
  UPDATE owners AS o SET (name, currency, plan, broadcasts_per_month) =
    (SELECT r.name, r.currency, r.plan, r.broadcasts_per_month FROM jsonb_populate_record(o, $2) AS r)
  WHERE owner_id = $1`;
const CHANGE_BOT = `
  UPDATE bots AS b SET (name, username, token, timezone, pair_separator, value_separator, referral_new_users_only,
                        auto_payout, paid_broadcasts, webhook_secret_hash) =
    (SELECT r.name, r.username, r.token, r.timezone, r.pair_separator, r.value_separator, r.referral_new_users_only,
            r.auto_payout, r.paid_broadcasts, r.webhook_secret_hash
     FROM jsonb_populate_record(b, $2) AS r)
  WHERE public_key = $1`;
const INSERT_UNIT = `
  INSERT INTO units (bot_id, unit_id, code, name, scale) SELECT bot_id, $2, $3, $4, $5 FROM bots WHERE public_key = $1`;
const INSERT_GOAL = `
  INSERT INTO goals (bot_id, target_id, event_id, name) SELECT bot_id, $2, $3, $4 FROM bots WHERE public_key = $1`;
const SET_EVENT_WORDS = `
  INSERT INTO event_words (bot_id, event_id, title, description, hidden)
  SELECT bot_id, $2, $3, $4, $5 FROM bots WHERE public_key = $1
  ON CONFLICT (bot_id, event_id) DO UPDATE
    SET title = excluded.title, description = excluded.description, hidden = excluded.hidden`;
const FINISH_JOB = `
  UPDATE jobs SET outcome = $2, summary = $3, findings = $4, findings_count = $5, finished_at = $6 WHERE job_id = $1`;

function change(tx: ClientBase, statement: string, key: string, changes: object): Promise<void> {
  return one(tx, statement, [key, JSON.stringify(changes)]);
}

/** Each event changes one row. If it changes none, the log lacks an earlier event. */
async function one(tx: ClientBase, text: string, values: readonly unknown[]): Promise<void> {
  const { rowCount } = await tx.query(text, [...values]);
  if (rowCount !== 1) throw new Error(`${rowCount} rows instead of one: ${text.trim().slice(0, 40)}…`);
}

interface ExchangeRateRow {
  readonly from: string;
  readonly to: string;
  readonly date: string;
  readonly rate: string;
}

/** Sets rates. The last rate of a day counts, within `rows` too. */
async function upsertExchangeRates(tx: ClientBase, rows: readonly ExchangeRateRow[]): Promise<void> {
  if (rows.length === 0) return;
  const latest = [...new Map(rows.map((row) => [`${row.from} ${row.to} ${row.date}`, row])).values()];
  await tx.query({
    name: 'catalog.upsert_exchange_rates',
    text: `INSERT INTO exchange_rates (from_code, to_code, date, rate)
           SELECT * FROM unnest($1::text[], $2::text[], $3::date[], $4::numeric[])
           ON CONFLICT (from_code, to_code, date) DO UPDATE SET rate = excluded.rate`,
    values: [
      latest.map(({ from }) => from),
      latest.map(({ to }) => to),
      latest.map(({ date }) => date),
      latest.map(({ rate }) => rate),
    ],
  });
}
