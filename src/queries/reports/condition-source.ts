import type { Dictionaries } from './chunk-cache.ts';
import type { ReportTables, Utm } from './fields.ts';
import type { SavedSegmentMembers } from './saved-segment-members.ts';
import type { Query, Snapshot } from './snapshot.ts';
import type { Team } from './team.ts';
import type { UserColumns } from './user-columns.ts';

/** The rows and columns that conditions of a report are compiled with. */
export interface ConditionSource {
  readonly botId: number;
  readonly tables: ReportTables;
  readonly query: Query;
  readonly copy: Snapshot['copy'];
  /** The threads that scan together. Its leader alone asks the database about users and sessions. */
  readonly team: Team;
  /** The labels of UTM combinations, by their ids; empty if the report names no UTM field. */
  readonly utms: readonly Utm[];
  /** The number of the bot's users. */
  readonly users: number;
  readonly userColumns: UserColumns;
  /** The users of the saved segments that the report names. Only the leader of a team has them. */
  readonly members: SavedSegmentMembers;
  readonly dictionaries: Dictionaries;
}
