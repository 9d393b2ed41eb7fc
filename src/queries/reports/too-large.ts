/**
 * Most numbers of a report (decisions.md#report-bounds): all of them are kept at once, here and by whoever sends them
 * on.
 */
export const MAX_CELLS = 1_000_000;

/** A report would have more numbers than are kept at once. */
export class ReportTooLargeError extends Error {
  override readonly name = 'ReportTooLargeError';
  constructor() {
    super(`more than ${MAX_CELLS} numbers: narrow the period, or ask for wider buckets or for less in each`);
  }
}

/** @throws ReportTooLargeError */
export function checkCells(cells: number): void {
  if (cells > MAX_CELLS) throw new ReportTooLargeError();
}
