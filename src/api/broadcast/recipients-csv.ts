import { Readable } from 'node:stream';
import { localTimeOf } from '../../domain/local-time.ts';
import type { Recipient } from '../../queries/broadcast/recipients.ts';
import { type CsvForm, csvLines } from '../../util/csv.ts';

const COLUMNS = ['chat_id', 'state', 'reason', 'date'];

/** Recipients as CSV; dates in the bot's zone. The queries follow the caller's pace. */
export function recipientsCsv(pages: AsyncIterable<readonly Recipient[]>, timezone: string, form: CsvForm): Readable {
  async function* parts(): AsyncGenerator<string> {
    yield csvLines([COLUMNS], form);
    for await (const page of pages)
      yield csvLines(
        page.map(({ chat_id, state, reason, date }) => [
          chat_id,
          state,
          reason ?? '',
          date === null ? '' : localTimeOf(date, timezone),
        ]),
        form,
      );
  }
  return Readable.from(parts(), { objectMode: false });
}
