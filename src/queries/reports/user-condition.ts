import { sql } from 'kysely';
import { type Condition, fieldsOf } from '../../domain/condition/condition.ts';
import { type FieldValue, predicateOf } from '../../domain/condition/predicate.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import type { ConditionSource } from './condition-source.ts';
import { conditionSql } from './condition-sql.ts';
import { knownUsersSql, userColumnSql } from './fields.ts';
import type { UserColumn } from './kept-user-column.ts';

/** By the user's index: 1 where a condition on users alone holds. */
export async function passingUsers(condition: Condition<ReportField>, source: ConditionSource): Promise<Uint8Array> {
  return (await passingUsersOfColumns(condition, source)) ?? passingUsersBySql(condition, source);
}

/** Null: the condition has a field that is not kept. */
async function passingUsersOfColumns(
  condition: Condition<ReportField>,
  { userColumns, users }: ConditionSource,
): Promise<Uint8Array | null> {
  const columns = new Map<string, UserColumn>();
  for (const field of fieldsOf(condition)) {
    const column = await userColumns.of(field);
    if (column === null) return null;
    columns.set(field.name, column);
  }
  return passes(condition);

  function passes(part: Condition<ReportField>): Uint8Array {
    switch (part.type) {
      case 'and':
      case 'or': {
        const found = new Uint8Array(users).fill(part.type === 'and' ? 1 : 0);
        for (const own of part.conditions.map(passes))
          for (let user = 0; user < users; user++) {
            if (part.type === 'and') found[user]! &= own[user]!;
            else found[user]! |= own[user]!;
          }
        return found;
      }
      case 'not':
        return passes(part.condition).map((holds) => 1 - holds);
      default: {
        const { codes, values } = columns.get(part.field.name)!;
        const holds = predicateOf<ReportField, FieldValue>(part, () => (value) => value);
        const byCode = Uint8Array.from(values, (value) => Number(holds(value)));
        const found = new Uint8Array(users);
        for (let user = 0; user < users; user++) found[user] = byCode[codes[user]!]!;
        return found;
      }
    }
  }
}

/** The database lists the indexes of the users that fulfil the condition. */
async function passingUsersBySql(
  condition: Condition<ReportField>,
  { botId, tables, members, query, users }: ConditionSource,
): Promise<Uint8Array> {
  const column = (field: ReportField) => userColumnSql(field, tables, members);
  const [found] = await query(sql<{ indexes: Buffer | null }>`
    SELECT string_agg(int4send(k.idx), '') AS indexes FROM ${knownUsersSql(tables)}
     WHERE k.bot_id = ${botId} AND (${conditionSql(condition, column)})`);
  const holds = new Uint8Array(users);
  const indexes = found!.indexes ?? Buffer.alloc(0);
  for (let at = 0; at < indexes.length; at += 4) holds[indexes.readInt32BE(at)] = 1;
  return holds;
}
