import { type RawBuilder, sql } from 'kysely';
import type { Bound, Condition, Field, Value } from '../../domain/condition/condition.ts';
import { likePattern } from '../../domain/condition/predicate.ts';

/** A field as an SQL expression. Numbers are numeric or integer, dates are ms as bigint, dynamic fields are jsonb. */
type ColumnSql<F extends Field> = (field: F) => RawBuilder<unknown>;

/**
 * A condition as a Boolean expression. It is true where the condition holds, and false or null where it does not. Negation
 * is `IS NOT TRUE`, the exact complement.
 */
export function conditionSql<F extends Field>(condition: Condition<F>, column: ColumnSql<F>): RawBuilder<unknown> {
  switch (condition.type) {
    case 'and':
    case 'or': {
      const parts = condition.conditions.map((part) => conditionSql(part, column));
      return sql`(${sql.join(parts, condition.type === 'and' ? sql` AND ` : sql` OR `)})`;
    }
    case 'not':
      return sql`(${conditionSql(condition.condition, column)}) IS NOT TRUE`;
    case 'one_of':
      return oneOf(condition.field, column(condition.field), condition.values);
    case 'range':
      return range(condition.field, column(condition.field), condition.from, condition.to);
    case 'like':
      return like(condition.field, column(condition.field), condition.pattern);
    case 'missing':
      return sql`(${column(condition.field)}) IS NULL`;
  }
}

function oneOf(field: Field, column: RawBuilder<unknown>, values: readonly Value[]): RawBuilder<unknown> {
  const raw = values.map(({ value }) => value);
  switch (field.type) {
    case 'number':
      return sql`${column} = ANY(${raw}::numeric[])`;
    case 'string':
      return sql`${column} = ANY(${raw}::text[])`;
    case 'boolean':
      return sql`${column} = ANY(${raw}::boolean[])`;
    case 'date':
      // A date in a condition is a whole second; its value is the second's start.
      return sql`floor(${column} / 1000.0) * 1000 = ANY(${raw}::numeric[])`;
    case 'dynamic':
      // jsonb compares type and value, and numbers as numeric: 1 equals 1.0, and not "1".
      return sql`${column} = ANY(${values.map(jsonText)}::jsonb[])`;
  }
}

function range(field: Field, column: RawBuilder<unknown>, from: Bound | null, to: Bound | null): RawBuilder<unknown> {
  const type = (from ?? to)?.value.type;
  const typed = field.type === 'dynamic' ? dynamicAs(type, column) : column;
  const ends = [from && compared(typed, from, sql`>`), to && compared(typed, to, sql`<`)];
  return sql`(${sql.join(
    ends.filter((end) => end !== null),
    sql` AND `,
  )})`;
}

function like(field: Field, column: RawBuilder<unknown>, pattern: string): RawBuilder<unknown> {
  const text = field.type === 'dynamic' ? dynamicAs('string', column) : sql`(${column})`;
  return sql`${text} COLLATE "C" LIKE ${likePattern(pattern)}::text`;
}

function compared(
  column: RawBuilder<unknown>,
  { value, inclusive }: Bound,
  direction: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const operator = inclusive ? sql`${direction}=` : direction;
  switch (value.type) {
    case 'number':
      return sql`${column} ${operator} ${value.value}::numeric`;
    case 'string':
      // In UTF-8 the order of bytes is the order of code points; the database's collation may differ.
      return sql`${column} COLLATE "C" ${operator} ${value.value}`;
    case 'date':
      return sql`${column} ${operator} ${value.value}::bigint`;
    case 'boolean':
      throw new Error('booleans have no order');
  }
}

/** The value of a jsonb column if it has the type, else null. CASE prevents a cast of text to a number. */
function dynamicAs(type: Value['type'] | undefined, column: RawBuilder<unknown>): RawBuilder<unknown> {
  const value = type === 'number' ? sql`(${column})::numeric` : sql`${column} #>> '{}'`;
  return sql`(CASE jsonb_typeof(${column}) WHEN ${type} THEN ${value} END)`;
}

function jsonText({ type, value }: Value): string {
  return type === 'number' ? value : JSON.stringify(value);
}
