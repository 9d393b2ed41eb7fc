import type pg from 'pg';

/** A row of texts as PostgreSQL writes them, in the order of the columns. A boolean is `t` or `f`. */
export type TextRow = readonly (string | null)[];

/** Values stay texts: exports write them on with all their digits. */
const AS_TEXT = { getTypeParser: () => (text: string) => text };

/**
 * Reads the rows of a SELECT page by page by a cursor, in the transaction that the caller has begun. It needs the
 * memory of one page. The caller ends the transaction. That also closes a cursor that was not read to its end.
 */
export async function* cursorRows(
  tx: pg.ClientBase,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
  pageSize: number,
): AsyncGenerator<readonly TextRow[]> {
  await tx.query(`DECLARE page_by_page NO SCROLL CURSOR FOR ${text}`, [...values]);
  for (;;) {
    const { rows } = await tx.query<(string | null)[]>({
      text: `FETCH ${pageSize} FROM page_by_page`,
      rowMode: 'array',
      types: AS_TEXT,
    });
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) break;
  }
  await tx.query('CLOSE page_by_page');
}
