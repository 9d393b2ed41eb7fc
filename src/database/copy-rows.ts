import type { ClientBase } from 'pg';
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams';

/**
 * Receives one row. Field `i` has `lengths[i]` bytes from `starts[i]` on, in the binary format of its type; a length of -1 is
 * null. The next row overwrites all three arguments, so the callback must not keep them.
 */
export type OnBinaryRow = (bytes: Buffer, starts: Int32Array, lengths: Int32Array) => void;

/** The header: "PGCOPY\n\xff\r\n\0", flags, and the length of an extension. No server sends an extension. */
const HEADER_BYTES = 19;
const TRAILER = -1;

/**
 * Reads rows by COPY in the binary format, at a third of the cost of the ordinary protocol. COPY takes no parameters, so
 * `select` must consist of constants and numbers.
 */
export async function copyRows(tx: ClientBase, select: string, columns: number, onRow: OnBinaryRow): Promise<void> {
  const starts = new Int32Array(columns);
  const lengths = new Int32Array(columns);
  /** The received bytes, from the start of the first row that was not delivered. */
  let bytes: Buffer = Buffer.alloc(0);
  let waiting: Buffer[] = [];
  let length = 0;
  let needed = HEADER_BYTES;
  let isHeaderRead = false;

  const stream: CopyToStreamQuery & { callback?: () => void } = tx.query(
    copyTo(`COPY (${select}) TO STDOUT (FORMAT binary)`),
  );
  try {
    for await (const part of stream) {
      waiting.push(part as Buffer);
      length += (part as Buffer).length;
      if (length < needed) continue;
      bytes = waiting.length === 1 ? waiting[0]! : Buffer.concat(waiting);
      const rest = isHeaderRead ? takeRows(0) : takeRows(HEADER_BYTES);
      isHeaderRead = true;
      waiting = rest === bytes.length ? [] : [bytes.subarray(rest)];
      length = bytes.length - rest;
    }
  } finally {
    // Ends the timer of `query_timeout`. pg sets this callback; pg-copy-streams calls it in copy-from.js, but not here.
    stream.callback?.();
  }

  /** Delivers the complete rows from `at` on. Returns where the first incomplete row starts, and sets `needed` to its length. */
  function takeRows(at: number): number {
    for (;;) {
      const end = rowEnd(at);
      if (end > bytes.length) {
        needed = end - at;
        return at;
      }
      if (bytes.readInt16BE(at) === TRAILER) return end;
      onRow(bytes, starts, lengths);
      at = end;
    }
  }

  /** Returns where the row at `at` ends. The end is beyond the received bytes if the row is incomplete. */
  function rowEnd(at: number): number {
    let end = at + 2;
    if (end > bytes.length || bytes.readInt16BE(at) === TRAILER) return end;
    for (let i = 0; i < columns; i++) {
      end += 4;
      if (end > bytes.length) return end;
      const field = bytes.readInt32BE(end - 4);
      starts[i] = end;
      lengths[i] = field;
      if (field > 0) end += field;
    }
    return end;
  }
}
