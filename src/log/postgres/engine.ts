import { defineEngine } from '../engine.ts';

/** The log in the database of the read models. */
export const postgres = defineEngine({
  name: 'postgres',
  config: { variables: {}, address: 'DATABASE_URL', log: 'DATABASE_URL', servers: () => [] },
  async tables() {
    const { SCHEMA: schema, migrations } = await import('./migrations.ts');
    return { schema, migrations };
  },
  async open(_variables, { connectionString, anyCategories, maxWaitMs, logger, onGroup }) {
    const { openPostgresLog } = await import('./postgres-log.ts');
    const onError = (error: Error): void => logger.warn({ err: error }, 'lost the log connection; retrying');
    return openPostgresLog({ connectionString, anyCategories, ...(maxWaitMs && { maxWaitMs }), onError, onGroup });
  },
});
