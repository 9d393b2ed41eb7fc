import { CODES_DDL, UPDATE_IDS_DDL } from '../intake-state.ts';

/** Tables of the read model `users`. Times are milliseconds since 1970 UTC. */
export const USERS_DDL = `${UPDATE_IDS_DDL}${CODES_DDL}
CREATE TABLE bots (
  bot_id int PRIMARY KEY,
  public_key text NOT NULL UNIQUE,
  pair_separator text NOT NULL,
  value_separator text NOT NULL,
  /* the latest receipt so far */
  clock bigint NOT NULL
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
  /* date of the last update, which set the names, flags and status */
  profile_date bigint,
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
`;
