import { placed } from '../read-model.ts';

/** Tables of the read model `clicks`. Times are milliseconds since 1970 UTC. */
export const CLICKS_DDL = `
CREATE TABLE bots (
  public_key text PRIMARY KEY,
  bot_id int NOT NULL
);

/* a row for each recipient and link with a click */
CREATE TABLE clicks (
  broadcast_id bigint NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  bot_id int NOT NULL,
  launch int NOT NULL,
  /* the number of the link among those of the launch, from 0 */
  link int NOT NULL,
  /* of the recipient in the frozen audience, from 0 */
  place int NOT NULL,
  clicks int NOT NULL,
  PRIMARY KEY (bot_id, broadcast_id, launch, link, place)
) WITH (fillfactor = 80);
`;

export const CLICKS_PLACEMENT = { ...placed('reference', ['bots']), ...placed('bot_id', ['clicks']) };
