import { placed } from '../read-model.ts';

/** Tables of the read model `broadcasts`. Times are milliseconds since 1970 UTC. Statistics are in `recipients`. */
export const BROADCASTS_DDL = `
CREATE TABLE bots (
  public_key text PRIMARY KEY,
  bot_id int NOT NULL,
  owner_id bigint NOT NULL
);
CREATE TABLE broadcasts (
  id bigint PRIMARY KEY,
  bot_id int NOT NULL,
  public_key text NOT NULL,
  owner_id bigint NOT NULL,
  /* the broadcast as JSON text; the columns below are of it, for those who look for broadcasts */
  broadcast text NOT NULL,
  status smallint NOT NULL,
  /* in 3, 4 and 5: what the status was before */
  status_before smallint,
  launch int NOT NULL,
  name text COLLATE "C",
  /* in small letters */
  name_folded text COLLATE "C",
  date_send bigint,
  date_create bigint NOT NULL,
  date_finish bigint,
  /* in status 1: not before; null: at once */
  due bigint,
  /* recipients; null until the audience is frozen */
  frozen bigint
);
CREATE INDEX broadcasts_bot ON broadcasts (bot_id, id DESC);
/* what the service has to do something about */
CREATE INDEX broadcasts_open ON broadcasts (id) WHERE status IN (1, 2, 6, 7, 8);
CREATE TABLE segments (
  segment_id bigint PRIMARY KEY,
  broadcast_id bigint NOT NULL,
  bot_id int NOT NULL,
  count int NOT NULL,
  /* of the list, and how many of them are here */
  parts int NOT NULL,
  stored int NOT NULL
);
CREATE INDEX segments_broadcast ON segments (broadcast_id);
CREATE TABLE segment_chats (
  segment_id bigint NOT NULL,
  chat_id bigint NOT NULL,
  bot_id int NOT NULL,
  PRIMARY KEY (segment_id, chat_id, bot_id)
);
`;

export const BROADCASTS_PLACEMENT = {
  ...placed('bot_id', ['segment_chats']),
  ...placed('local', ['bots', 'broadcasts', 'segments']),
};
