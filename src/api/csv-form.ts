import { z } from 'zod';

export const RAW =
  'For csv: true keeps texts as they are, for programs; by default a text that a spreadsheet reads as a formula gets an apostrophe';

/** The query `raw` of calls that answer CSV (decisions.md#csv-formulas). */
export const rawQuery = z
  .string()
  .regex(/^(true|false)$/, 'must be true or false')
  .transform((raw) => raw === 'true')
  .meta({ type: 'boolean', description: RAW })
  .optional();
