import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { localTimeOf } from '../../domain/local-time.ts';
import type { Recipient } from '../../queries/broadcast/recipients.ts';

const COLUMNS = ['chat_id', 'state', 'reason', 'date'];

/** Recipients as CSV (RFC 4180, but lines end in LF); dates in the bot's zone. The caller's pace is that of the queries. */
export function recipientsCsv(pages: AsyncIterable<readonly Recipient[]>, timezone: string): Readable {
  async function* parts(): AsyncGenerator<string> {
    yield lines([COLUMNS]);
    for await (const page of pages)
      yield lines(
        page.map(({ chat_id, state, reason, date }) => [
          String(chat_id),
          state,
          reason ?? '',
          date === null ? '' : localTimeOf(date, timezone),
        ]),
      );
  }
  return Readable.from(parts(), { objectMode: false });
}

/** Quotes cells with a carriage return: some readers take it for the end of a line. */
const lines = (cells: readonly (readonly string[])[]): string => stringify(cells as string[][], { quoted_match: /\r/ });
