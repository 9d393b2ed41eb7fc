/** As many items as every list of the service gives at once. */
const MAX_LIMIT = 200;

interface PageQuery {
  readonly limit?: number;
  readonly offset?: number;
}

/**
 * All items of a list from `query.offset` on, a page at a time. If newer items move the list by less than a page,
 * repeated items of the page before are left out.
 * @param read reads one page: the data of the answer, with one array in it
 */
export async function* itemsOf(
  { limit = MAX_LIMIT, offset = 0, ...query }: PageQuery,
  read: (query: object) => Promise<object>,
): AsyncGenerator<unknown, void, undefined> {
  const size = Math.min(limit, MAX_LIMIT);
  let before = new Set<string>();
  for (let at = offset; ; at += size) {
    const items = Object.values(await read({ ...query, limit: size, offset: at })).find(Array.isArray) as unknown[];
    yield* items.filter((item) => !before.has(nameOf(item)));
    if (items.length < size) return;
    before = new Set(items.map(nameOf));
  }
}

/** Tells the items of a list apart, also if other fields of an item have changed. */
function nameOf(item: unknown): string {
  const { id } = Object(item) as { readonly id?: unknown };
  return JSON.stringify(id ?? item);
}
