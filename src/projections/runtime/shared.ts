import type pg from 'pg';
import type { Logger } from 'pino';
import { createLeaseHolder, type LeaseHolder } from '../../database/lease.ts';
import { type VersionWatch, watchVersions } from './watch-versions.ts';

/** What the projectors of a thread share: one statement renews all their leases, and one looks for all their versions. */
export interface SharedByProjectors {
  readonly pool: pg.Pool;
  readonly leases: LeaseHolder;
  readonly versions: VersionWatch;
}

/** @param holder who holds the leases: unique per instance of the service */
export function shareAmongProjectors(pool: pg.Pool, holder: string, logger: Logger): SharedByProjectors {
  return { pool, leases: createLeaseHolder(pool, holder, { logger }), versions: watchVersions(pool) };
}
