import { decider } from '../decider.ts';
import { eventsImported } from './intake-events.ts';

/** Stream `import-<bot>/<file>`: the events of one imported file, and how far the import has read the file. */
export interface EventImport {
  /** The last line that was read, from 1; 0: none. */
  readonly line: number;
  readonly imported: number;
  /** Those of them whose key had come before, and which count nothing. */
  readonly repeated: number;
  readonly refused: number;
  readonly isFinished: boolean;
}

export const eventImport = decider(
  [eventsImported],
  (): EventImport => ({ line: 0, imported: 0, repeated: 0, refused: 0, isFinished: false }),
  ({ imported }, { data: { items, line, refused, repeated = 0, finished } }): EventImport => ({
    line,
    imported: imported + items.length,
    repeated,
    refused,
    isFinished: finished,
  }),
);
