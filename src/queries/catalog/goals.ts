import { type CatalogSource, rowsOf } from './source.ts';

export interface GoalRow {
  readonly target_id: number;
  readonly event_id: number;
  readonly name: string;
}

/** The goals of a bot by target id, Sale included. */
export function listGoals(source: CatalogSource, botId: number): Promise<GoalRow[]> {
  return rowsOf(
    source,
    'list_goals',
    `SELECT target_id::float8, event_id::float8, name FROM ${source.schema}.goals WHERE bot_id = $1
     ORDER BY goals.target_id`,
    [botId],
  );
}
