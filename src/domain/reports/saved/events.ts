import { z } from 'zod';
import { eventType } from '../../event-type.ts';

/** Events of saved reports. */

const uuid = z.uuid();
const content = z.object({
  uuid,
  name: z.string(),
  /** The report_config as JSON text: with the digits that its numbers were sent with, and whatever its keys are. */
  report_config: z.string(),
});

export const reportSaved = eventType('report_saved', 1, content);
/** The report has another name and configuration; its uuid and the date of its creation stay. */
export const reportChanged = eventType('report_changed', 1, content);
export const reportDeleted = eventType('report_deleted', 1, z.object({ uuid }));
