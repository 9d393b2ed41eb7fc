import type pg from 'pg';

/** A pool that notes its statements, by name or text; those of its connections that are taken out are not among them. */
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
