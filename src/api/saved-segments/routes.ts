import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import type { AnyRoute } from '../route.ts';
import { createChangeWait } from '../wait-for-change.ts';
import { remove } from './delete.ts';
import { get, list } from './reads.ts';
import { save } from './save.ts';

interface SavedSegmentRoutesOptions {
  readonly log: EventLog;
  readonly db: Reader;
  readonly sources: Sources;
}

/** The endpoints of saved segments. */
export function savedSegmentRoutes({ log, db, sources }: SavedSegmentRoutesOptions): AnyRoute[] {
  const context = { log, sources };
  const waitForChange = createChangeWait(db.pool, 'reports');
  return [save(context, waitForChange), list(db), get({ db, log }), remove(context, db, waitForChange)];
}
