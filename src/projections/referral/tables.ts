import { UPDATE_IDS_DDL } from '../intake-state.ts';
import { placed } from '../read-model.ts';

/**
 * Tables of the read model `referral`. Times are milliseconds since 1970 UTC. `ord` is a place in the bot's log, computed as
 * for events (commit.ordinal * 1024 + index of the item), so a referral and an event can be compared by it.
 */
export const REFERRAL_DDL = `${UPDATE_IDS_DDL}
CREATE TABLE bots (
  bot_id int PRIMARY KEY,
  public_key text NOT NULL,
  /* a visit refers only users first seen by it */
  new_users_only boolean NOT NULL,
  /* the latest receipt so far: what memories of a limited length are measured by */
  clock bigint NOT NULL,
  UNIQUE (public_key, bot_id)
);

CREATE TABLE known_users (
  bot_id int NOT NULL,
  user_id bigint NOT NULL,
  PRIMARY KEY (bot_id, user_id)
);

/* each code that got an owner, or that a visit or a mark used */
CREATE TABLE codes (
  bot_id int NOT NULL,
  code text COLLATE "C" NOT NULL,
  /* null: it has no owner yet */
  owner_id bigint,
  /* made by create-code */
  listed boolean NOT NULL,
  /* when and where in the log it got its owner */
  date_create bigint,
  ord bigint,
  PRIMARY KEY (bot_id, code)
);
CREATE INDEX codes_owner ON codes (bot_id, owner_id, date_create, ord) WHERE owner_id IS NOT NULL;

/* visits (and marks) by codes without an owner yet, of users who had no referrer then: the earliest of each user */
CREATE TABLE visits (
  bot_id int NOT NULL,
  code text COLLATE "C" NOT NULL,
  user_id bigint NOT NULL,
  date bigint NOT NULL,
  ord bigint NOT NULL,
  PRIMARY KEY (bot_id, code, user_id)
);

CREATE TABLE referrals (
  bot_id int NOT NULL,
  /* the referred user */
  user_id bigint NOT NULL,
  referrer_id bigint NOT NULL,
  /* null: a mark that named the referrer, who had a code */
  code text,
  /* of the visit, else of the mark */
  date bigint NOT NULL,
  /* of the visit, the mark, or what gave the code its owner: events behind it may earn */
  ord bigint NOT NULL,
  PRIMARY KEY (bot_id, user_id)
);
/* how many users a referrer has referred: a list by this number must not count them all */
CREATE TABLE referrers (
  bot_id int NOT NULL,
  user_id bigint NOT NULL,
  referrals bigint NOT NULL,
  PRIMARY KEY (bot_id, user_id)
);
CREATE INDEX referrers_most ON referrers (bot_id, referrals DESC, user_id);
CREATE INDEX referrals_referrer ON referrals (bot_id, referrer_id, date, ord, user_id);

/* the answers to changes, by commit, for as long as a caller can repeat them */
CREATE TABLE outcomes (
  bot_id int NOT NULL,
  commit_id uuid NOT NULL,
  /* receipt */
  date bigint NOT NULL,
  outcome jsonb NOT NULL,
  PRIMARY KEY (bot_id, commit_id)
);
CREATE INDEX outcomes_date ON outcomes (bot_id, date);

/* a row for each state that a rule was in, valid from ord on */
CREATE TABLE rules (
  bot_id int NOT NULL,
  rule_id bigint NOT NULL,
  ord bigint NOT NULL,
  name text NOT NULL,
  trigger_event_id int NOT NULL,
  /* fixed, percent or external */
  reward_type text NOT NULL,
  amount numeric,
  percent numeric,
  unit_id bigint,
  hold_days numeric NOT NULL,
  active boolean NOT NULL,
  PRIMARY KEY (bot_id, rule_id, ord)
);

CREATE TABLE units (
  bot_id int NOT NULL,
  unit_id bigint NOT NULL,
  code text NOT NULL,
  name text,
  /* decimals of a normal unit */
  scale int NOT NULL,
  PRIMARY KEY (bot_id, unit_id)
);
`;

/** Rules and units are few, and are joined to events and to accounts. */
export const REFERRAL_PLACEMENT = {
  ...placed('bot_id', ['bots', 'known_users', 'codes', 'visits', 'referrals', 'referrers', 'outcomes', 'update_ids']),
  ...placed('reference', ['rules', 'units']),
};
