/** A page of `GET history`, as its query. */
export type HistoryPage = Readonly<Record<'order' | 'limit' | 'offset', string> & { at?: string }>;

/**
 * Reads the latest lines of a history, the newest first. Each page begins at the second of the last line before it, so lines that
 * the account gets between two pages move none.
 */
export async function latestLines<Line extends { readonly date: string }>(
  ask: (page: HistoryPage) => Promise<readonly Line[]>,
  { pageSize, most }: { readonly pageSize: number; readonly most: number },
): Promise<Line[]> {
  const lines: Line[] = [];
  while (lines.length < most) {
    const at = lines.at(-1)?.date;
    const known = lines.length - 1 - lines.findLastIndex(({ date }) => date !== at);
    const place = at === undefined ? { offset: '0' } : { at, offset: `${known}` };
    const page = await ask({ order: 'desc', limit: `${pageSize}`, ...place });
    lines.push(...page);
    if (page.length < pageSize) break;
  }
  return lines;
}
