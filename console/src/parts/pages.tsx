import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { address, go, here } from '../address.ts';
import { texts } from '../texts.ts';
import { AsOf } from './as-of.tsx';
import { Pending } from './failure.tsx';
import { type Loaded, type LoadOptions, useLoad } from './load.ts';
import { NoRows, PageSteps } from './page-steps.tsx';

/** Rows of a page. */
const SIZE = 50;

export interface Pages<Row, Data> {
  readonly loaded: Signal<Loaded<Data>>;
  readonly reload: () => void;
  /** Of this page; undefined: not known yet. */
  readonly rows: readonly Row[] | undefined;
  /** Steps through the pages; null where one page has it all. */
  readonly pager: ComponentChildren;
}

export interface PagesOptions<Data> extends LoadOptions<Data> {
  /** The entry of the address that has the number of rows before the page. */
  readonly name?: string;
}

/**
 * Loads a list page by page. The address has the place, so that Back undoes a step.
 * @param ask loads rows by the `limit` and the `offset` of `page`
 */
export function usePages<Row, Data>(
  ask: (page: Readonly<Record<string, string>>) => (signal: AbortSignal) => Promise<Data>,
  rowsOf: (data: Data) => readonly Row[],
  { name = 'offset', ...options }: PagesOptions<Data> = {},
): Pages<Row, Data> {
  // One row more than is shown tells whether there is a next page.
  const { loaded, reload } = useLoad(
    () => ask({ limit: `${SIZE + 1}`, offset: address.value.query.get(name) ?? '0' }),
    // The former page stays, dimmed, until the next one is there: its buttons keep the focus.
    { ...options, keep: true },
  );
  const offset = Number(address.value.query.get(name));
  const { data } = loaded.value;
  const found = data === undefined ? [] : rowsOf(data);
  const more = found.length > SIZE;
  const pager =
    offset > 0 && data !== undefined && found.length === 0 ? (
      <p>
        <NoRows name={name} />
      </p>
    ) : offset > 0 || more ? (
      <PageSteps name={name} offset={offset} size={SIZE} hasMore={more} />
    ) : null;
  return { loaded, reload, rows: data && found.slice(0, SIZE), pager };
}

export interface ListingProps {
  readonly title: string;
  readonly pages: Pages<unknown, { readonly data_as_of: string }>;
  /** Says that the whole list is empty. */
  readonly none: ComponentChildren;
  readonly filters?: ComponentChildren;
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A page of a list: what chooses its rows, the rows, and the way to others. */
export function Listing({ title, pages: { loaded, reload, rows, pager }, none, filters, children }: ListingProps) {
  const { data, loading } = loaded.value;
  const isNone = rows?.length === 0;
  return (
    <section class="card" aria-label={title} aria-busy={loading}>
      {filters !== undefined && <header class="filters">{filters}</header>}
      <div class={isNone ? 'body' : 'body flush'}>
        <Pending loaded={loaded.value} retry={reload} />
        {rows !== undefined && (isNone ? pager === null && none : children)}
      </div>
      {(pager !== null || data !== undefined) && (
        <footer>
          {data !== undefined && <AsOf at={data.data_as_of} />}
          {pager}
        </footer>
      )}
    </section>
  );
}

export interface ChoiceProps {
  readonly label: string;
  /** The entry of the address that has the choice. */
  readonly name: string;
  /** The names of the values. */
  readonly of: Readonly<Record<string, string>>;
  /** The chosen value, where one is always chosen. */
  readonly value?: string;
}

/** Chooses the rows of a list, which then begins at its first page. */
export function Choice({ label, name, of, value }: ChoiceProps) {
  return (
    <label>
      {label}
      <select
        class="input"
        value={value ?? address.value.query.get(name) ?? ''}
        onChange={(event) => go(here({ [name]: event.currentTarget.value, offset: '' }))}
      >
        {value === undefined && <option value="">{texts.every}</option>}
        {Object.entries(of).map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
