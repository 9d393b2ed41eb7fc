import { sql } from 'kysely';
import { parse } from 'lossless-json';
import { PACKINGS_OF_A_REBUILD } from '../../columns/chunk.ts';
import type { Snapshot } from '../../database/snapshot.ts';
import { SERVER_SINCE, withConstants } from '../../database/statement.ts';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import { combinationKey } from '../../domain/reports/breakdown.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import { readBigint } from '../../util/read-bigint.ts';
import { type ChunkCache, TOO_LARGE } from './chunk-cache.ts';
import { columnSql, isOfUserRow, type ReportTables, type SavedSegmentMembers } from './field-sql.ts';

/** Fields of the users of a bot. A thread keeps them for its next reports. */
export interface UserColumns {
  /** Null: the field is not kept, because it is in another table, or too large. */
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
 * A kept column belongs to a number of changes (the table `user_changes`). The users of later changes that the snapshot
 * has are read again, in the snapshot. So an answer has each user as its snapshot does, whenever the column was read.
 */
export function openUserColumns(options: UserColumnsOptions): UserColumns {
  const opened = new Map<string, Promise<KeptUserColumn | null>>();
  let changes: Promise<Changes> | undefined;

  async function open(field: ReportField): Promise<KeptUserColumn | null> {
    const { cache, users } = options;
    changes ??= changesOf(options);
    const { source, first, upto } = await changes;
    const key = `${source} ${options.botId} ${field.name}`;
    const kept = cache.kept<KeptUserColumn>(key);
    if (kept === TOO_LARGE) return null;
    if (kept?.upto === upto && kept.codes.length === users) return kept;
    const isUsable = kept !== undefined && kept.upto >= first && kept.upto <= upto && !kept.isWorn;
    const column = isUsable ? kept.copy(upto, users) : new KeptUserColumn(field.type, upto, users);
    await read(field, column, isUsable ? kept : null);
    cache.keep(key, column);
    return column;
  }

  /** @param since an earlier state of the column; null: reads all users */
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

/**
 * Whether each user is in a saved segment. Valid for one report: the segment and the users' events may change before
 * the next.
 */
function memberColumn(members: Uint8Array): UserColumn {
  const codes = Uint32Array.from(members);
  return { codes, values: [false, true], numbered: () => ({ numbers: codes, values: [[false], [true]] }) };
}

/** The changes of a bot's users that a snapshot has. */
interface Changes {
  /**
   * Names the tables that the users are read from: another one after a rebuild, also of only this bot, and after a restart or crash
   * of the server.
   */
  readonly source: string;
  /** How many changes came before the kept ones. */
  readonly first: number;
  readonly upto: number;
}

async function changesOf({ botId, tables, snapshot }: UserColumnsOptions): Promise<Changes> {
  const of = (column: 'after' | 'upto', order: 'ASC' | 'DESC') => sql`
    coalesce((SELECT ${sql.ref(column)} FROM ${changesTable(tables)} WHERE bot_id = ${sql.lit(botId)}
               ORDER BY after ${sql.raw(order)} LIMIT 1), 0)::float8`;
  const [row] = await snapshot.query(sql<Changes>`
    SELECT concat_ws(' ', ${sql.lit(`${tables.users}.user_changes`)}::regclass::oid,
                     ${sql.lit(`${tables.events}.known_users`)}::regclass::oid, ${SERVER_SINCE},
                     (SELECT packings / ${sql.lit(PACKINGS_OF_A_REBUILD)}
                        FROM ${sql.id(tables.events, 'timelines')} WHERE bot_id = ${sql.lit(botId)})) AS source,
           ${of('after', 'ASC')} AS first, ${of('upto', 'DESC')} AS upto`);
  return row!;
}

function changesTable({ users }: ReportTables) {
  return sql.id(users, 'user_changes');
}

/** A field of all users of a bot in a report's snapshot. */
export interface UserColumn {
  /** By the user's index among the bot's users. */
  readonly codes: Uint32Array;
  /** By code. A value may have no user. */
  readonly values: readonly FieldValue[];
  /** Numbers the values as answers show them, and gives the number of each user's: see `Combinations`. */
  numbered(): { readonly numbers: Uint32Array; readonly values: readonly (readonly FieldValue[])[] };
}

/** Users that are in `users` and not yet in `events`. With more of them, a look-up for each report does not pay. */
const MOST_PENDING = 1000;
/** Values that no user has any more, besides one for each user. */
const MOST_UNUSED = 4096;

/** A column after a number of changes. A later state shares the lists of values, to which values are only added. */
class KeptUserColumn implements UserColumn {
  readonly upto: number;
  readonly codes: Uint32Array;
  /** The first is null: no value. */
  readonly values: FieldValue[] = [null];
  /** Users that have no index yet. */
  readonly pending = new Set<number>();
  readonly #type: ReportField['type'];
  readonly #known: Known;

  /** @param users how many the bot has */
  constructor(type: ReportField['type'], upto: number, users: number, former?: KeptUserColumn) {
    this.#type = type;
    this.upto = upto;
    this.codes = new Uint32Array(users);
    this.#known = former === undefined ? newKnown() : former.#known;
    if (former === undefined) return;
    this.values = former.values;
    this.codes.set(former.codes.subarray(0, users));
    for (const user of former.pending) this.pending.add(user);
  }

  copy(upto: number, users: number): KeptUserColumn {
    return new KeptUserColumn(this.#type, upto, users, this);
  }

  /** Whether it is better to read all users again. */
  get isWorn(): boolean {
    return this.pending.size > MOST_PENDING || this.values.length > this.codes.length + MOST_UNUSED;
  }

  /** The approximate size. A text of Latin letters takes one byte a letter. */
  get bytes(): number {
    return this.codes.byteLength + this.#known.letters + this.values.length * VALUE_BYTES;
  }

  addPending(userId: number): void {
    this.pending.add(userId);
  }

  set(user: number, userId: number, text: string | null): void {
    this.pending.delete(userId);
    this.codes[user] = text === null ? 0 : this.#codeOf(text);
  }

  #codeOf(text: string): number {
    const { codes } = this.#known;
    let code = codes.get(text);
    if (code === undefined) {
      code = this.values.push(fieldValue(this.#type, text)) - 1;
      codes.set(text, code);
      this.#known.letters += text.length;
    }
    return code;
  }

  numbered(): ReturnType<UserColumn['numbered']> {
    const { shown, numbers, numberOf } = this.#known;
    for (let code = numberOf.length; code < this.values.length; code++) {
      const value = [shownValue(this.#type, this.values[code]!)];
      const key = combinationKey(value);
      const number = numbers.get(key) ?? shown.push(value) - 1;
      numbers.set(key, number);
      numberOf.push(number);
    }
    return { values: shown, numbers: this.codes.map((code) => numberOf[code]!) };
  }
}

/** The values of a column and of its later states. */
interface Known {
  /** Codes by the text of the database. */
  readonly codes: Map<string, number>;
  /** Of all texts. */
  letters: number;
  /** Numbers by the key of a shown value: values that look the same share a number. */
  readonly numbers: Map<string, number>;
  /** By number. */
  readonly shown: (readonly FieldValue[])[];
  /** By code, up to the last one that was asked for. */
  readonly numberOf: number[];
}

function newKnown(): Known {
  return { codes: new Map(), letters: 0, numbers: new Map(), shown: [], numberOf: [] };
}

/** Bytes of a value besides its letters: it is in two arrays and in two maps, once with its letters as a key. */
const VALUE_BYTES = 240;

/** The value of a field from its text in the database. */
export function fieldValue(type: ReportField['type'], text: string): FieldValue {
  switch (type) {
    case 'boolean':
      return text === 'true';
    case 'date':
      return Number(text);
    case 'dynamic':
      return parse(text) as FieldValue;
    default:
      return text;
  }
}

/** A date has whole seconds in answers. */
function shownValue(type: ReportField['type'], value: FieldValue): FieldValue {
  return type === 'date' && value !== null ? Math.floor(Number(value) / 1000) * 1000 : value;
}
