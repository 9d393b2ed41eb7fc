import { placed } from '../read-model.ts';

/**
 * Tables of the read model `recipients`. Times are milliseconds since 1970 UTC. A recipient that was never attempted has
 * state 0, and is cancelled if its broadcast says so: a stop changes one row, not a million.
 */
export const RECIPIENTS_DDL = `
CREATE TABLE bots (
  public_key text PRIMARY KEY,
  bot_id int NOT NULL
);

CREATE TABLE sendings (
  broadcast_id bigint PRIMARY KEY,
  bot_id int NOT NULL,
  /* of the broadcast, as of the rows here: what is counted below belongs to it */
  status smallint NOT NULL,
  launch int NOT NULL,
  /* frozen so far */
  count_recipients int NOT NULL,
  /* the last of them: chats come in ascending order, so that none can come twice */
  last_chat bigint,
  count_delivered int NOT NULL,
  /* those of unknown outcome included */
  count_not_delivered int NOT NULL,
  count_unknown int NOT NULL,
  /* whether those that were not attempted are cancelled */
  cancelled boolean NOT NULL,
  /* since when */
  cancelled_at bigint,
  paused_until bigint,
  /* what the service waits for while it sends */
  error text
);

CREATE TABLE recipients (
  broadcast_id bigint NOT NULL,
  chat_id bigint NOT NULL,
  /* of the outcome */
  date bigint,
  /* in the order of chat ids, from 0 */
  place int NOT NULL,
  bot_id int NOT NULL,
  /* 0 not attempted, 2 delivered, 3 not delivered, 4 unknown */
  state smallint NOT NULL,
  reason text,
  PRIMARY KEY (broadcast_id, place, bot_id)
) WITH (fillfactor = 60);
`;

export const RECIPIENTS_PLACEMENT = { ...placed('bot_id', ['recipients']), ...placed('local', ['bots', 'sendings']) };
