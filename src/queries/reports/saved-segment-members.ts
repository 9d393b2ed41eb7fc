import { sql } from 'kysely';
import { type EventFilter, type FilterConditions, leavesOf } from '../../domain/broadcast/audience.ts';
import type { SavedSegments } from '../../domain/broadcast/audience-segmentations.ts';
import { type Condition, fieldsOf } from '../../domain/condition/condition.ts';
import { type ReportField, userFields } from '../../domain/reports/fields.ts';
import type { PerformedUsers } from '../broadcast/audience-users-sql.ts';
import { performedUsers } from '../broadcast/performed-users.ts';
import { passingUsers } from './conditions.ts';
import { NO_MEMBERS, type SavedSegmentMembers } from './field-sql.ts';
import { openScan, type Scan, type ScanOptions } from './scan.ts';

/**
 * Finds the users of saved segments in the snapshot of a report: the same users as in an audience of the same
 * conditions (decisions.md#saved-segment-users). Their conditions on events are one scan, whatever the period of the
 * report.
 * @param now the moment that days are counted back from, milliseconds since 1970 UTC
 */
export async function savedSegmentMembers(
  savedSegments: SavedSegments,
  options: ScanOptions,
  now: number,
): Promise<SavedSegmentMembers> {
  if (savedSegments.size === 0) return NO_MEMBERS;
  const { botId, tables, snapshot, cache } = options;
  const all = [...savedSegments.values()];
  const leaves = all.flatMap(({ events }) => (events === null ? [] : leavesOf(events)));
  const performed = await performedUsers(leaves, { botId, tables, asOf: now }, snapshot, cache);
  const scan = await openScan(
    options,
    all.flatMap(({ users }) => (users === null ? [] : fieldsOf(users))),
  );
  const erased = await erasedUsers(scan);
  const found = new Map<string, Uint8Array>();
  for (const [id, conditions] of savedSegments) {
    const members = await membersOf(conditions, scan, performed);
    for (const user of erased) members[user] = 0;
    found.set(String(id), members);
  }
  return { botId, of: (key) => found.get(key) ?? NO_MEMBERS.of(key) };
}

/** Each user of the bot has a status. Only a user that the users' read model does not have yet lacks it. */
const IS_USER: Condition<ReportField> = {
  type: 'not',
  condition: { type: 'missing', field: userFields.find('user.user_status')! },
};

async function membersOf(
  { users, events }: FilterConditions,
  scan: Scan,
  performed: PerformedUsers,
): Promise<Uint8Array> {
  const condition: Condition<ReportField> = users === null ? IS_USER : { type: 'and', conditions: [IS_USER, users] };
  const members = await passingUsers(condition, scan);
  if (events !== null)
    for (let user = 0; user < members.length; user++)
      if (members[user] === 1 && !fulfils(events, performed, user)) members[user] = 0;
  return members;
}

function fulfils(filter: EventFilter, performed: PerformedUsers, user: number): boolean {
  switch (filter.type) {
    case 'and':
      return filter.filters.every((part) => fulfils(part, performed, user));
    case 'or':
      return filter.filters.some((part) => fulfils(part, performed, user));
    case 'performed':
      return ((performed.get(filter)![user >>> 3]! >>> (user & 7)) & 1) === Number(!filter.negation);
  }
}

/** The indexes of erased users, who are in no audience. */
async function erasedUsers({ botId, tables, query }: Scan): Promise<number[]> {
  const rows = await query(sql<{ idx: number }>`
    SELECT k.idx FROM ${sql.id(tables.users, 'erased_users')} AS e
      JOIN ${sql.id(tables.events, 'known_users')} AS k ON k.bot_id = e.bot_id AND k.user_id = e.user_id
     WHERE e.bot_id = ${botId}`);
  return rows.map(({ idx }) => idx);
}
