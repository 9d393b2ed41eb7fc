import { sql } from 'kysely';
import { type Condition, fieldsOf } from '../../domain/condition/condition.ts';
import { type FieldValue, predicateOf } from '../../domain/condition/predicate.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import { type CodedName, type IndexName, indexesOf, numbersOf } from '../../projections/events/packed/chunk.ts';
import { scaledDecimalsOf } from '../../projections/events/packed/decimals.ts';
import { decimalsOf, propertyOf } from '../../projections/events/packed/properties.ts';
import { atLeast } from './array-pool.ts';
import type { ConditionSource } from './condition-source.ts';
import { conditionSql } from './condition-sql.ts';
import type { Dictionary } from './dictionary.ts';
import { allOf, anyOf, byCode, byKey, byTest, type CompiledCondition } from './event-condition.ts';
import { storageOf } from './fields.ts';
import { integerRanges } from './integer-range.ts';
import { passingUsers } from './user-condition.ts';

/**
 * Compiles a condition to a test of events. On a coded column it runs once for each value of a chunk, but a
 * range of decimals compares numbers. Conditions on users
 * or sessions run once in the database, before the scan.
 */
export async function compileCondition(
  condition: Condition<ReportField>,
  source: ConditionSource,
): Promise<CompiledCondition> {
  const fields = fieldsOf(condition);
  if (fields.every((field) => storageOf(field).type === 'user')) return onUsers(condition, source);
  switch (condition.type) {
    case 'and':
    case 'or': {
      const parts: CompiledCondition[] = [];
      for (const part of withUsersJoined(condition.type, condition.conditions))
        parts.push(await compileCondition(part, source));
      return condition.type === 'and' ? allOf(parts) : anyOf(parts);
    }
    case 'not': {
      const negated = await compileCondition(condition.condition, source);
      return byTest(negated.columns, (chunk) => {
        const test = negated.testOf(chunk);
        return (at) => !test(at);
      });
    }
    default:
      return compileLeaf(condition, source);
  }
}

type Leaf = Exclude<Condition<ReportField>, { type: 'and' | 'or' | 'not' }>;

/** The conditions, with those on users alone joined to one, which is one query. */
function withUsersJoined(
  type: 'and' | 'or',
  conditions: readonly Condition<ReportField>[],
): readonly Condition<ReportField>[] {
  const isOnUsers = (condition: Condition<ReportField>) =>
    fieldsOf(condition).every((field) => storageOf(field).type === 'user');
  const ofUsers = conditions.filter(isOnUsers);
  if (ofUsers.length < 2) return conditions;
  return [...conditions.filter((condition) => !isOnUsers(condition)), { type, conditions: ofUsers }];
}

function compileLeaf(leaf: Leaf, source: ConditionSource): CompiledCondition | Promise<CompiledCondition> {
  const storage = storageOf(leaf.field);
  const holds = predicateOf<ReportField, FieldValue>(leaf, () => (value) => value);
  switch (storage.type) {
    case 'coded': {
      const { column, read } = storage;
      const test = (value: string | number | null) => holds(value === null ? null : read(value));
      if (isOnDecimals(leaf, column)) return onDecimals(leaf, column, onValues(column, test));
      const dictionary = isValue(column) ? null : source.dictionaries.of(column);
      return dictionary === null ? onValues(column, test) : onDictionary(column, test, dictionary);
    }
    case 'moment': {
      const { column } = storage;
      return byTest([column], (chunk) => {
        const moments = numbersOf(chunk, column);
        return (at) => holds(moments[at]!);
      });
    }
    case 'utm':
      return byIndex(
        'utm_id',
        Uint8Array.from(source.utms, (utm) => (holds(utm[storage.part]) ? 1 : 0)),
      );
    case 'session':
      return leaf.type === 'missing' ? withoutSession(storage.column) : onSessions(leaf, storage.column, source);
    case 'user':
      return onUsers(leaf, source);
  }
}

/** Values of events have nearly as many values as there are events, so that a dictionary would not help. */
function isValue(column: CodedName): boolean {
  return column === 'value_int' || column === 'value_amount';
}

/** Whether the condition compares numbers. One of few values of a property is found faster by a posting list. */
function isOnDecimals(leaf: Leaf, column: CodedName): leaf is NumberLeaf {
  if (isValue(column)) return leaf.type === 'range' || leaf.type === 'one_of';
  return propertyOf(column) !== null && leaf.type === 'range' && (leaf.from ?? leaf.to)?.value.type === 'number';
}

type NumberLeaf = Extract<Leaf, { type: 'range' | 'one_of' }>;

type ValueTest = (value: string | number | null) => boolean;

/** Tests each value of each chunk. */
function onValues(column: CodedName, test: ValueTest): CompiledCondition {
  return byCode(column, ({ values }) => {
    const passes = new Uint8Array(values.length);
    // A loop, because `Uint8Array.from` with a function takes twice as long as the tests.
    for (let code = 0; code < values.length; code++) if (test(values[code]!)) passes[code] = 1;
    return passes;
  });
}

/** Tests each value once for all chunks. */
function onDictionary(column: CodedName, test: ValueTest, dictionary: Dictionary): CompiledCondition {
  let passesByNumber = new Uint8Array(0);
  let tested = 0;
  return byCode(column, (coded) => {
    const numbers = dictionary.numbersOf(coded);
    passesByNumber = atLeast(passesByNumber, dictionary.values.length);
    for (; tested < dictionary.values.length; tested++)
      passesByNumber[tested] = Number(test(dictionary.values[tested]!));
    const passes = new Uint8Array(numbers.length);
    for (let code = 0; code < numbers.length; code++) passes[code] = passesByNumber[numbers[code]!]!;
    return passes;
  });
}

/**
 * Compares decimals as integers, which is exact.
 * @param long the condition for chunks with decimals that are too long for it
 */
function onDecimals(condition: NumberLeaf, column: CodedName, long: CompiledCondition): CompiledCondition {
  const byDecimals = new Map<number, ReturnType<typeof integerRanges>>();

  function rangesFor(decimals: number) {
    let ranges = byDecimals.get(decimals);
    if (ranges === undefined) {
      ranges = integerRanges(condition, decimals);
      byDecimals.set(decimals, ranges);
    }
    return ranges;
  }

  const bySome = byKey(column, (chunk) => {
    const coded = decimalsOf(chunk, column);
    const { integers, decimals } = scaledDecimalsOf(coded)!;
    const ranges = rangesFor(decimals);
    const holds = (integer: number) => ranges.some(({ low, high }) => integer >= low && integer <= high);
    const passes = new Uint8Array(integers.length);
    for (let code = 0; code < integers.length; code++) if (holds(integers[code]!)) passes[code] = 1;
    return { keys: coded.codes, passes };
  });
  return {
    columns: [column],
    testOf: (chunk) => (scaledDecimalsOf(decimalsOf(chunk, column)) === null ? long : bySome).testOf(chunk),
    select(chunk, positions, into) {
      const coded = decimalsOf(chunk, column);
      const scaled = scaledDecimalsOf(coded);
      if (scaled === null) return long.select(chunk, positions, into);
      const [only, another] = rangesFor(scaled.decimals);
      if (only === undefined || another !== undefined) return bySome.select(chunk, positions, into);
      const { codes } = coded;
      const { integers } = scaled;
      const { low, high } = only;
      let size = 0;
      for (let i = 0; i < positions.length; i++) {
        const at = positions[i]!;
        const integer = integers[codes[at]!]!;
        into[size] = at;
        size += Number(integer >= low) & Number(integer <= high);
      }
      return size;
    },
    count(chunk, begin, end) {
      const coded = decimalsOf(chunk, column);
      const scaled = scaledDecimalsOf(coded);
      if (scaled === null) return long.count!(chunk, begin, end);
      const [only, another] = rangesFor(scaled.decimals);
      if (only === undefined || another !== undefined) return bySome.count!(chunk, begin, end);
      const { codes } = coded;
      const { integers } = scaled;
      const { low, high } = only;
      let events = 0;
      for (let at = begin; at < end; at++) {
        const integer = integers[codes[at]!]!;
        events += Number(integer >= low) & Number(integer <= high);
      }
      return events;
    },
  };
}

async function onUsers(condition: Condition<ReportField>, source: ConditionSource): Promise<CompiledCondition> {
  return byIndex('user_idx', await source.team.once(() => passingUsers(condition, source)));
}

/** @param passes 1 where the condition holds, by the column's index */
function byIndex(column: IndexName, passes: Uint8Array): CompiledCondition {
  return byKey(column, (chunk) => ({ keys: indexesOf(chunk, column), passes }));
}

function withoutSession(column: 'session' | 'app_session'): CompiledCondition {
  return byTest([column], (chunk) => {
    const numbers = numbersOf(chunk, column);
    return (at) => Number.isNaN(numbers[at]!);
  });
}

/**
 * The database lists the sessions for which the condition holds. A session's id is that of its first event. An archived event
 * may since be in an earlier session than its own: then no event has its session any more.
 */
async function onSessions(
  leaf: Leaf,
  column: 'session' | 'app_session',
  { botId, tables, query, team }: ConditionSource,
): Promise<CompiledCondition> {
  const id = () => sql`(s.commit_id || '.' || s.idx)`;
  const sessions = await team.once(async () => {
    const of = sql.ref(column);
    const found = await query(sql<{ session: number }>`
      SELECT s.ord::float8 AS session
        FROM (SELECT ord, ${of}, commit_id, idx FROM ${sql.id(tables.events, 'events')} WHERE bot_id = ${botId}
              UNION ALL
              SELECT r.ord, r.session, r.commit_id, r.idx
                FROM ${sql.id(tables.events, 'archive')} AS a
               CROSS JOIN unnest(a.ord, ${sql.ref(`a.${column}`)}, a.commit_id, a.idx) AS r (ord, session, commit_id, idx)
               WHERE a.bot_id = ${botId}) AS s
       WHERE ${sql.ref(`s.${column}`)} = s.ord AND (${conditionSql(leaf, id)})`);
    return new Set(found.map(({ session }) => session));
  });
  return byTest([column], (chunk) => {
    const numbers = numbersOf(chunk, column);
    return (at) => sessions.has(numbers[at]!);
  });
}
