import { z } from 'zod';
import { eventType } from '../../event-type.ts';

/** Events of saved reports. */

const uuid = z.uuid();
const content = z.object({
  uuid,
  name: z.string(),
  /** The report_config as JSON text. It keeps the digits of all numbers as they were sent, and unknown keys. */
  report_config: z.string(),
});

export const reportSaved = eventType('report_saved', 1, content);
/** Replaces the name and configuration of a report. Its uuid and creation date stay. */
export const reportChanged = eventType('report_changed', 1, content);
export const reportDeleted = eventType('report_deleted', 1, z.object({ uuid }));
/** Pins a report to the dashboard of its bot, or takes it off. A change of the report keeps it. */
export const reportPinned = eventType('report_pinned', 1, z.object({ uuid, pinned: z.boolean() }));
