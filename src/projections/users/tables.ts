import type { ClientBase } from 'pg';
import { CODES_DDL, UPDATE_IDS_DDL } from '../intake-state.ts';
import { placed } from '../read-model.ts';
import { shardTrigger } from '../shard-trigger.ts';

/** Changes of users of a bot that are kept: a reader that missed more reads all users again, in about the same time. */
const KEPT_CHANGES = 32_768;

/** The tables that the triggers fill. */
export const CHANGES_TABLES = ['user_changes'] as const;

const NOTE_CHANGED = shardTrigger('users', CHANGES_TABLES, {}, ({ table, run }) =>
  run(`
    WITH noted AS (
      INSERT INTO ${table('user_changes')} (bot_id, after, upto, user_ids)
      SELECT bot_id, coalesce(upto, 0), coalesce(upto, 0) + cardinality(ids), ids
        FROM (SELECT bot_id, array_agg(user_id) AS ids FROM written GROUP BY bot_id) w
        LEFT JOIN LATERAL (
          SELECT upto FROM ${table('user_changes')} c WHERE c.bot_id = w.bot_id ORDER BY after DESC LIMIT 1) last ON true
      RETURNING bot_id, after)
    DELETE FROM ${table('user_changes')} c USING noted n WHERE c.bot_id = n.bot_id AND c.after < n.after - ${KEPT_CHANGES}`),
);

/**
 * Which users have changed, in the order of the transactions: threads of reports keep fields of users, and read changed
 * users again. A trigger records each write, so that no statement can forget it. Transactions that write users of one
 * bot follow each other, since each locks the bot's row; the primary key makes sure of it.
 */
const CHANGES_DDL = `
CREATE TABLE user_changes (
  bot_id int NOT NULL,
  /* how many changes of users of the bot came before these, and with these */
  after bigint NOT NULL,
  upto bigint NOT NULL,
  user_ids bigint[] NOT NULL,
  PRIMARY KEY (bot_id, after)
);
/* the arrays are read whole, and soon deleted */
ALTER TABLE user_changes ALTER COLUMN user_ids SET STORAGE EXTERNAL;
CREATE FUNCTION note_changed_users() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$${NOTE_CHANGED}$$;
CREATE TRIGGER note_added AFTER INSERT ON users
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_changed_users();
CREATE TRIGGER note_changed AFTER UPDATE ON users
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_changed_users();
`;

/** Leaves a gap in the numbers of changes of these bots, so that a reader reads all their users again. */
export async function forgetChanges(tx: ClientBase, bots: readonly number[]): Promise<void> {
  await tx.query(
    `WITH gone AS (DELETE FROM user_changes WHERE bot_id = ANY ($1) RETURNING bot_id, upto)
     INSERT INTO user_changes (bot_id, after, upto, user_ids)
     SELECT bot_id, max(upto) + 1, max(upto) + 2, '{}' FROM gone GROUP BY bot_id`,
    [bots],
  );
}

/** Tables of the read model `users`. Times are milliseconds since 1970 UTC. */
export const USERS_DDL = `${UPDATE_IDS_DDL}${CODES_DDL}
CREATE TABLE bots (
  bot_id int PRIMARY KEY,
  public_key text NOT NULL,
  pair_separator text NOT NULL,
  value_separator text NOT NULL,
  /* the latest receipt so far */
  clock bigint NOT NULL,
  UNIQUE (public_key, bot_id)
);

CREATE TABLE users (
  bot_id int NOT NULL,
  user_id bigint NOT NULL,
  first_name text,
  last_name text,
  full_name text,
  username text,
  language_code text,
  is_premium boolean,
  is_bot boolean,
  gender text,
  timezone text,
  /* active, blocked or deactivated */
  user_status text NOT NULL,
  date_create bigint NOT NULL,
  date_last_active bigint,
  /* a name's value keeps its JSON type */
  custom_fields jsonb NOT NULL,
  /* start_param and utm_* of the first visit */
  addition_fields jsonb NOT NULL,
  /* date of the first visit */
  visit_date bigint,
  /* date of the last update, which set the names and flags */
  profile_date bigint,
  /* date of the last update of the private chat, which set the status */
  status_date bigint,
  /* receipt of the last import */
  import_date bigint,
  /* receipts of imports, by the field that they set: updates of an earlier date do not change it */
  imported jsonb,
  PRIMARY KEY (bot_id, user_id)
) WITH (fillfactor = 80);
/* users whose personal data was erased, known to the bot or not: they are in no audience */
CREATE TABLE erased_users (
  bot_id int NOT NULL,
  user_id bigint NOT NULL,
  PRIMARY KEY (bot_id, user_id)
);
/* for lists of the latest users; date_create hardly ever changes, so updates do not touch the index */
CREATE INDEX ON users (bot_id, date_create);
${CHANGES_DDL}`;

export const USERS_PLACEMENT = placed('bot_id', [
  'bots',
  'users',
  'erased_users',
  'codes',
  'update_ids',
  ...CHANGES_TABLES,
]);
