import pg from 'pg';

/** A pool that answers each query by a function and never connects. */
export function stubPool(query: (text: string) => Promise<{ rows: object[] }>): pg.Pool {
  return Object.assign(new pg.Pool(), { query });
}
