import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

export type Cell = string | number | boolean | null;

/**
 * Inserts rows by COPY, the cheapest way in. `lines` come from {@link copyLine}, and where they are made one by one, the
 * database takes some in while the next are made.
 */
export async function copyInto(tx: ClientBase, table: string, columns: string, lines: Iterable<string>): Promise<void> {
  const slices = slicesOf(lines);
  const first = slices.next();
  if (first.done) return;
  const rest = (function* () {
    yield first.value;
    yield* slices;
  })();
  await pipeline(rest, tx.query(copyFrom(`COPY ${table} (${columns}) FROM STDIN (FORMAT csv)`)));
}

/** So many lines at once: for each one alone the stream would cost more than the line. */
const SLICE_LINES = 500;

function* slicesOf(lines: Iterable<string>): Generator<Buffer> {
  let slice: string[] = [];
  for (const line of lines) {
    slice.push(line);
    if (slice.length < SLICE_LINES) continue;
    yield Buffer.from(`${slice.join('\n')}\n`);
    slice = [];
  }
  if (slice.length > 0) yield Buffer.from(`${slice.join('\n')}\n`);
}

/**
 * One row in COPY's CSV format (PostgreSQL manual, COPY, "CSV Format"), where what is absent is NULL: so `join`, which
 * writes nothing for null, makes the row at half the cost of the text format.
 */
export function copyLine(cells: Cell[]): string {
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i];
    if (typeof cell === 'string' && NEEDS_QUOTES.test(cell)) cells[i] = `"${cell.replaceAll('"', '""')}"`;
  }
  return cells.join();
}

const NEEDS_QUOTES = /^$|[",\\\n\r]/;
