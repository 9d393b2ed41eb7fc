import type pg from 'pg';
import { LEASE_DDL } from './lease.ts';
import { type Migrations, migrate } from './migrate.ts';

const migrations: Migrations = { '0001_leases': LEASE_DDL };

/** The schema `runtime`: what running instances share. Nothing in it outlives them, so it may be dropped like any other. */
export function migrateRuntimeSchema(pool: pg.Pool): Promise<void> {
  return migrate(pool, 'runtime', migrations);
}
