/** The table of the read model `reports`. Times are milliseconds since 1970 UTC. */
export const REPORTS_DDL = `
CREATE TABLE reports (
  /* of the bot */
  public_key text NOT NULL,
  uuid uuid NOT NULL,
  name text,
  /* JSON text: jsonb would order its keys anew */
  report_config text,
  created_at bigint NOT NULL,
  /* of its stream, up to where the row reflects it */
  revision int NOT NULL,
  /* what was deleted keeps its bot: a repeated deletion is asked of that */
  deleted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (public_key, uuid)
);
CREATE INDEX reports_uuid ON reports (uuid);
`;
