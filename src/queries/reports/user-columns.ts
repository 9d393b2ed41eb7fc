import { sql } from 'kysely';
import type { ReportField } from '../../domain/reports/fields.ts';
import { readBigint } from '../../util/read-bigint.ts';
import type { ChunkCache } from './chunk-cache.ts';
import { columnSql, isOfUserRow, type ReportTables } from './fields.ts';
import { KeptUserColumn, type UserColumn } from './kept-user-column.ts';
import type { SavedSegmentMembers } from './saved-segment-members.ts';
import type { Snapshot } from './snapshot.ts';
import { withConstants } from './statement.ts';

/** Fields of the users of a bot. A thread keeps them for its next reports. */
export interface UserColumns {
  /** Null: the field is not kept, because it is of another table, or too large. */
  of(field: ReportField): Promise<UserColumn | null>;
}

interface UserColumnsOptions {
  readonly botId: number;
  readonly tables: ReportTables;
  readonly snapshot: Pick<Snapshot, 'query' | 'copy'>;
  readonly cache: ChunkCache;
  /** How many users the bot has. */
  readonly users: number;
  readonly members: SavedSegmentMembers;
}

/**
 * A kept column is of a number of changes (the table `user_changes`). The users of later changes that the snapshot has are
 * read again, in the snapshot. So an answer has each user as its snapshot does, whenever the column was read.
 */
export function openUserColumns(options: UserColumnsOptions): UserColumns {
  const opened = new Map<string, Promise<KeptUserColumn | null>>();
  let changes: Promise<Changes> | undefined;

  async function open(field: ReportField): Promise<KeptUserColumn | null> {
    const { cache, users } = options;
    changes ??= changesOf(options);
    const { source, first, upto } = await changes;
    const key = `${source} ${options.botId} ${field.name}`;
    const kept = cache.userColumn(key);
    if (kept === 'too large') return null;
    if (kept?.upto === upto && kept.codes.length === users) return kept;
    const isUsable = kept !== undefined && kept.upto >= first && kept.upto <= upto && !kept.isWorn;
    const column = isUsable ? kept.copy(upto, users) : new KeptUserColumn(field.type, upto, users);
    await read(field, column, isUsable ? kept : null);
    cache.setUserColumn(key, column);
    return column;
  }

  /** @param since a former state of the column; null: reads all users */
  async function read(field: ReportField, into: KeptUserColumn, since: KeptUserColumn | null): Promise<void> {
    const { botId, tables, snapshot } = options;
    const pending = `{${[...(since?.pending ?? [])].join()}}`;
    const changed = sql`AND u.user_id IN (
      SELECT unnest(user_ids) FROM ${changesTable(tables)} WHERE bot_id = ${botId} AND after >= ${since?.upto ?? 0}::bigint
      UNION ALL SELECT unnest(${pending}::bigint[]))`;
    const select = sql`SELECT k.idx, u.user_id, (${columnSql(field, tables)})::text
      FROM ${sql.id(tables.users, 'users')} AS u
      LEFT JOIN ${sql.id(tables.events, 'known_users')} AS k ON k.bot_id = u.bot_id AND k.user_id = u.user_id
     WHERE u.bot_id = ${botId} ${since === null ? sql`` : changed}`;
    await snapshot.copy(withConstants(select), 3, (bytes, starts, lengths) => {
      const [start, length] = [starts[2]!, lengths[2]!];
      const text = length < 0 ? null : bytes.toString('utf8', start, start + length);
      if (lengths[0]! < 0) into.addPending(readBigint(bytes, starts[1]!));
      else into.set(bytes.readInt32BE(starts[0]!), readBigint(bytes, starts[1]!), text);
    });
  }

  return {
    async of(field) {
      if (field.root === 'user.saved_segments') return memberColumn(options.members.of(field.key));
      if (!isOfUserRow(field)) return null;
      const column = opened.get(field.name) ?? open(field);
      opened.set(field.name, column);
      return column;
    },
  };
}

/** Whether each user is in a saved segment. It is of one report: the segment, and what users did, may change before the next. */
function memberColumn(members: Uint8Array): UserColumn {
  const codes = Uint32Array.from(members);
  return { codes, values: [false, true], numbered: () => ({ numbers: codes, values: [[false], [true]] }) };
}

/** The changes of a bot's users that a snapshot has. */
interface Changes {
  /** Names the tables that the users are read from: another one after a rebuild, and after a restart of the server. */
  readonly source: string;
  /** How many changes came before those that are kept. */
  readonly first: number;
  readonly upto: number;
}

async function changesOf({ botId, tables, snapshot }: UserColumnsOptions): Promise<Changes> {
  const of = (column: 'after' | 'upto', order: 'ASC' | 'DESC') => sql`
    coalesce((SELECT ${sql.ref(column)} FROM ${changesTable(tables)} WHERE bot_id = ${sql.lit(botId)}
               ORDER BY after ${sql.raw(order)} LIMIT 1), 0)::float8`;
  const [row] = await snapshot.query(sql<Changes>`
    SELECT concat_ws(' ', ${sql.lit(`${tables.users}.user_changes`)}::regclass::oid,
                     ${sql.lit(`${tables.events}.known_users`)}::regclass::oid, pg_postmaster_start_time()) AS source,
           ${of('after', 'ASC')} AS first, ${of('upto', 'DESC')} AS upto`);
  return row!;
}

function changesTable({ users }: ReportTables) {
  return sql.id(users, 'user_changes');
}
