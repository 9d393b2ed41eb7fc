import { address, go, here } from '../address.ts';
import type { Value } from '../api.ts';
import { number } from '../format.ts';
import { texts } from '../texts.ts';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { Icon } from './icon.tsx';

export interface SortedTableProps<Row extends object> extends Omit<DataTableProps<Row>, 'sort'> {
  /** Names the entries of the address that hold the search, the order and the page. */
  readonly name: string;
  /** The text of a row that the search looks in; absent: no search. */
  readonly textOf?: (row: Row) => string;
  /** The order before a head is pressed, as a key with `-` before it for the largest first; absent: as they come. */
  readonly order?: string;
  /** The value of a row that sorts a column; default: its cell. */
  readonly sortValue?: (row: Row, key: string) => Value | undefined;
}

const SIZE = 25;

/**
 * A table of rows that are all here: a press on a head sorts them, a search chooses, 25 stand on a page. Order, search and page
 * are in the address.
 */
export function SortedTable<Row extends object>({
  name,
  textOf,
  order = '',
  sortValue = valueIn,
  rows,
  ...table
}: SortedTableProps<Row>) {
  const { query } = address.value;
  const by = query.get(`${name}_sort`) ?? order;
  const asked = query.get(`${name}_find`) ?? '';
  const [key, isDown] = by.startsWith('-') ? [by.slice(1), true] : [by, false];
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter((row) => words.every((word) => textOf?.(row).toLowerCase().includes(word) ?? true));
  const sorted =
    key === '' ? found : found.toSorted((a, b) => (isDown ? -1 : 1) * compare(sortValue(a, key), sortValue(b, key)));
  const pages = Math.max(1, Math.ceil(sorted.length / SIZE));
  const page = Math.min(pages, Math.max(1, Number(query.get(`${name}_page`)) || 1));
  const first = (page - 1) * SIZE;
  const set = (changes: Readonly<Record<string, string>>): void =>
    go(here(Object.fromEntries(Object.entries(changes).map(([entry, value]) => [`${name}_${entry}`, value]))), {
      replace: true,
    });
  return (
    <>
      {textOf !== undefined && (rows.length > SIZE || asked !== '') && (
        <div class="with-icon find">
          <Icon name="search" />
          <input
            class="input"
            type="search"
            aria-label={texts.find(table.caption)}
            placeholder={texts.find(table.caption)}
            value={asked}
            onInput={(event) => set({ find: event.currentTarget.value, page: '' })}
          />
        </div>
      )}
      <DataTable
        {...table}
        rows={sorted.slice(first, first + SIZE)}
        sort={{
          by: key,
          down: isDown,
          // The first press shows the largest numbers, and texts from A to Z.
          onSort: (pressed) => {
            const startsDown = table.columns.find((column) => column.key === pressed)?.type === 'number';
            set({ sort: (pressed === key ? !isDown : startsDown) ? `-${pressed}` : pressed, page: '' });
          },
        }}
      />
      {sorted.length === 0 && <p class="quiet-text">{texts.noneFound}</p>}
      {pages > 1 && (
        <div class="pages">
          <span class="quiet-text">
            {texts.rowsOf(number(first + 1), number(Math.min(first + SIZE, sorted.length)), number(sorted.length))}
          </span>
          <button type="button" class="btn small" disabled={page === 1} onClick={() => set({ page: `${page - 1}` })}>
            {texts.previousPage}
          </button>
          <button
            type="button"
            class="btn small"
            disabled={page === pages}
            onClick={() => set({ page: `${page + 1}` })}
          >
            {texts.nextPage}
          </button>
        </div>
      )}
    </>
  );
}

const valueIn = (row: object, key: string): Value | undefined => (row as Readonly<Record<string, Value>>)[key];

/** Nothing is the least. Texts that hold numbers are compared as numbers. */
function compare(a: Value | undefined, b: Value | undefined): number {
  if (a === null || a === undefined || b === null || b === undefined)
    return Number(a !== null && a !== undefined) - Number(b !== null && b !== undefined);
  const [x, y] = [Number(a), Number(b)];
  if (a !== '' && b !== '' && !Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}
