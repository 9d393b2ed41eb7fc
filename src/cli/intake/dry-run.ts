import type { RefusedLine } from '../../commands/intake/import-events.ts';
import type { Refusals } from './import-file.ts';

/** The content of a file of events, of which nothing was imported. */
export interface DryRun {
  readonly dry_run: true;
  /** Lines that an import takes. Whether their events came before is found only by the import. */
  readonly taken: number;
  readonly refused: number;
}

/** Reads the lines of an import and appends nothing. */
export async function dryRun(lines: AsyncIterable<object | RefusedLine>, refusals: Refusals): Promise<DryRun> {
  let [taken, refused] = [0, 0];
  for await (const line of lines) {
    if (!('problem' in line)) taken++;
    else {
      refused++;
      await refusals.add(line as RefusedLine);
    }
  }
  return { dry_run: true, taken, refused };
}
