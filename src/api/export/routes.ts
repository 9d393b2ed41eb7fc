import type pg from 'pg';
import { openExport } from '../../administration/export/open-export.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { EXPORT_KINDS } from '../../queries/export/columns.ts';
import type { AnyRoute } from '../route.ts';
import type { ExportSlots } from './export-slots.ts';
import { exportRoute } from './serve-export.ts';

interface ExportRoutesOptions {
  readonly slots: ExportSlots;
  /** Connections only for exports. */
  readonly exports: pg.Pool;
  readonly log: EventLog;
  readonly db: Reader;
  readonly sources: Sources;
}

/** A caller that reads nothing for this time counts as gone. */
const STALL_MS = 60_000;
/** The longest time that an export waits for its caller in all. A snapshot that is held for hours bloats every table. */
const TOTAL_MS = 30 * 60_000;

/** The endpoints of exports. */
export function exportRoutes({ slots, exports, log, db, sources }: ExportRoutesOptions): AnyRoute[] {
  return EXPORT_KINDS.map((kind) =>
    exportRoute(kind, {
      slots,
      waits: { stallMs: STALL_MS, totalMs: TOTAL_MS },
      open: async (asked) => openExport({ ...asked, pool: exports, log, sources, db }),
    }),
  );
}
