import type { ClientBase } from 'pg';
import type { LedgerEvent } from '../../domain/ledger-events.ts';
import { keyOf } from '../../log/stream-name.ts';
import { placed, type ReadCommit, type ReadModel } from '../read-model.ts';
import { reportsManifest } from './manifest.ts';

/** Times are milliseconds since 1970 UTC. */
const REPORTS_DDL = `
CREATE TABLE reports (
  /* of the bot */
  public_key text NOT NULL,
  uuid uuid NOT NULL,
  name text,
  /* JSON text: jsonb would reorder its keys */
  report_config text,
  created_at bigint NOT NULL,
  /* of its stream: the last commit that the row has */
  revision int NOT NULL,
  /* a deleted report keeps its bot, which answers a repeated deletion */
  deleted boolean NOT NULL DEFAULT false,
  /* on the dashboard of its bot */
  pinned boolean NOT NULL DEFAULT false,
  PRIMARY KEY (public_key, uuid)
);
CREATE INDEX reports_uuid ON reports (uuid);
CREATE TABLE saved_segments (
  saved_segment_id bigint PRIMARY KEY,
  /* of the bot */
  public_key text NOT NULL,
  name text NOT NULL,
  /* JSON text, as it was sent */
  conditions text NOT NULL,
  created_at bigint NOT NULL,
  changed_at bigint NOT NULL,
  /* of its stream: the last commit that the row has */
  revision int NOT NULL
);
CREATE INDEX saved_segments_bot ON saved_segments (public_key, saved_segment_id DESC);
`;

/** Saved reports and saved segments as they are now, by bot. */
export const reportsReadModel: ReadModel = {
  ...reportsManifest,
  isolatesBots: true,
  events: [
    'report_saved',
    'report_changed',
    'report_deleted',
    'report_pinned',
    'saved_segment_created',
    'saved_segment_changed',
    'saved_segment_deleted',
  ],
  ddl: REPORTS_DDL,
  placement: placed('local', ['reports', 'saved_segments']),
  async apply(tx, commits) {
    for (const commit of commits) for (const event of commit.events) await applyEvent(tx, commit, event);
  },
};

async function applyEvent(tx: ClientBase, { stream, at, revision }: ReadCommit, event: LedgerEvent): Promise<void> {
  const bot = keyOf(stream);
  switch (event.type) {
    case 'report_saved': {
      const { uuid, name, report_config } = event.data;
      return one(tx, 'save', INSERT, [bot, uuid, name, report_config, at, revision]);
    }
    case 'report_changed': {
      const { uuid, name, report_config } = event.data;
      return one(tx, 'change', CHANGE, [bot, uuid, name, report_config, revision]);
    }
    case 'report_deleted':
      return one(tx, 'delete', DELETE, [bot, event.data.uuid, revision]);
    case 'report_pinned':
      return one(tx, 'pin', PIN, [bot, event.data.uuid, event.data.pinned, revision]);
    case 'saved_segment_created': {
      const { saved_segment_id, name, conditions } = event.data;
      return one(tx, 'create', CREATE_SEGMENT, [saved_segment_id, bot, name, conditions, at, revision]);
    }
    case 'saved_segment_changed': {
      const { saved_segment_id, name, conditions } = event.data;
      return one(tx, 'change', CHANGE_SEGMENT, [saved_segment_id, name, conditions, at, revision]);
    }
    case 'saved_segment_deleted':
      return one(tx, 'delete', DELETE_SEGMENT, [event.data.saved_segment_id]);
    default:
      return;
  }
}

const INSERT = `
  INSERT INTO reports (public_key, uuid, name, report_config, created_at, revision) VALUES ($1, $2, $3, $4, $5, $6)`;
const CHANGE = `
  UPDATE reports SET name = $3, report_config = $4, revision = $5
  WHERE public_key = $1 AND uuid = $2 AND NOT deleted`;
const DELETE = `
  UPDATE reports SET deleted = true, name = NULL, report_config = NULL, revision = $3
  WHERE public_key = $1 AND uuid = $2 AND NOT deleted`;
const PIN = `
  UPDATE reports SET pinned = $3, revision = $4
  WHERE public_key = $1 AND uuid = $2 AND NOT deleted`;
const CREATE_SEGMENT = `
  INSERT INTO saved_segments (saved_segment_id, public_key, name, conditions, created_at, changed_at, revision)
  VALUES ($1, $2, $3, $4, $5, $5, $6)`;
const CHANGE_SEGMENT = `
  UPDATE saved_segments SET name = $2, conditions = $3, changed_at = $4, revision = $5 WHERE saved_segment_id = $1`;
const DELETE_SEGMENT = 'DELETE FROM saved_segments WHERE saved_segment_id = $1';

/** Each event changes one row. If it changes none, the log lacks an earlier event. */
async function one(tx: ClientBase, what: string, text: string, values: readonly unknown[]): Promise<void> {
  const { rowCount } = await tx.query(text, [...values]);
  if (rowCount !== 1) throw new Error(`${rowCount} rows instead of one: ${what} a saved report or segment`);
}
