import { RequestError, request, type Value } from '../api.ts';

const COLUMNS = ['user.user_id', 'user.first_name', 'user.last_name', 'user.username'];
/** Before any user, and after every one: a list needs a period. */
const EVER = { ':date_from': '1970-01-02 00:00:00', ':date_to': '2100-12-31 23:59:59' };
/** A plan without reports, or a key that may not see them: ids stay. */
const FORBIDDEN = 403;

export interface NamedUser {
  readonly user_id: number;
  readonly first_name?: string | null;
  readonly last_name?: string | null;
  readonly username?: string | null;
}

export type People = ReadonlyMap<number, NamedUser>;

/** The names of users, by id, in one request: a report that lists them. Users that the bot has not met are left out. */
export async function loadPeople(bot: string, ids: readonly number[], signal: AbortSignal): Promise<People> {
  const asked = [...new Set(ids)].filter((id) => id > 0);
  if (asked.length === 0) return new Map();
  const source_request = {
    ...{ type: 'list', type_chart: 'list', table: 'users', columns: COLUMNS, limit: asked.length },
    filters: ['in', 'user.user_id', asked],
  };
  const body = { report_config: { source_request, settings: { params: EVER } } };
  try {
    const { rows } = await request<{ readonly rows: readonly Readonly<Record<string, Value>>[] }>('/v1/reports/run', {
      ...{ method: 'POST', bot, body, signal },
    });
    return new Map(rows.map((row) => [Number(row['user.user_id']), personOf(row)]));
  } catch (error) {
    if (error instanceof RequestError && error.status === FORBIDDEN) return new Map();
    throw error;
  }
}

function personOf(row: Readonly<Record<string, Value>>): NamedUser {
  const text = (name: string): string | null => (row[`user.${name}`] as string | null) ?? null;
  return {
    user_id: Number(row['user.user_id']),
    first_name: text('first_name'),
    last_name: text('last_name'),
    username: text('username'),
  };
}
