import type pg from 'pg';
import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { dataAsOf } from '../data-as-of.ts';
import { createCaughtUpFind } from '../find-caught-up.ts';
import type { AnyRoute } from '../route.ts';
import { get } from './get.ts';
import { broadcasts } from './serve-received-broadcasts.ts';
import { list } from './serve-users.ts';

export interface UserRoutesOptions {
  readonly config: Pick<Config, 'MAX_WAIT_MS'>;
  /** Connections only for counts of audiences and searches of users. */
  readonly counts: pg.Pool;
  readonly log: EventLog;
  readonly db: Reader;
  readonly sources: Sources;
}

/** The endpoints about the users of a bot. */
export function userRoutes({ config, counts, log, db, sources }: UserRoutesOptions): AnyRoute[] {
  const asOf = dataAsOf(db.pool, log, sources);
  const findCaughtUp = createCaughtUpFind({ pool: db.pool, log, model: 'users', maxWaitMs: config.MAX_WAIT_MS });
  return [list(db, counts, asOf), get(db, findCaughtUp, asOf), broadcasts(db, asOf)];
}
