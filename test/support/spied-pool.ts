import type pg from 'pg';

/** A pool that records its statements, by name or text, except those on connections that were taken from the pool. */
export function spied(pool: pg.Pool, statements: string[]): pg.Pool {
  return new Proxy(pool, {
    get(target, key) {
      if (key !== 'query') return Reflect.get(target, key) as unknown;
      return (query: pg.QueryConfig | string, values?: unknown[]) => {
        statements.push(typeof query === 'string' ? query : (query.name ?? query.text));
        return target.query(query as pg.QueryConfig, values);
      };
    },
  });
}
