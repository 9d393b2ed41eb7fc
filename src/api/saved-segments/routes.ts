import type pg from 'pg';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import { reportsManifest } from '../../projections/saved-reports/manifest.ts';
import type { ServedSchema } from '../../projections/served-schema.ts';
import type { AnyRoute } from '../route.ts';
import { createChangeWait } from '../wait-for-change.ts';
import { remove } from './delete.ts';
import { savedSegmentSources } from './find-saved-segments.ts';
import { get, list } from './reads.ts';
import { save } from './save.ts';

interface SavedSegmentRoutesOptions {
  readonly pool: pg.Pool;
  readonly log: EventLog;
  readonly served: ServedSchema;
  readonly sources: Sources;
}

/** The endpoints of saved segments. */
export function savedSegmentRoutes({ pool, log, served, sources }: SavedSegmentRoutesOptions): AnyRoute[] {
  const context = { log, sources };
  const found = savedSegmentSources({ pool, log, served });
  const waitForChange = createChangeWait(pool, reportsManifest);
  return [save(context, waitForChange), list(found), get(found), remove(context, { pool, served }, waitForChange)];
}
