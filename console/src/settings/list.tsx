import { request, type Value } from '../api.ts';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Pending } from '../parts/failure.tsx';
import { type Loaded, type LoadOptions, useLoad } from '../parts/load.ts';
import { usePages } from '../parts/pages.tsx';

export type Row = Readonly<Record<string, Value>>;

/** Loads a list below `/v1/settings/`. */
export function useList<T = Row>(path: string, bot: string) {
  return useLoad<readonly T[]>(
    () => async (signal) => (await request<{ items: readonly T[] }>(`/v1/settings/${path}`, { bot, signal })).items,
  );
}

/** Loads a list below `/v1/settings/` page by page. `pager` steps through it. */
export function useListPages<T = Row>(path: string, bot: string, options?: LoadOptions<readonly T[]>) {
  const { loaded, reload, rows, pager } = usePages<T, readonly T[]>(
    (page) => async (signal) =>
      (await request<{ items: readonly T[] }>(`/v1/settings/${path}?${new URLSearchParams(page)}`, { bot, signal }))
        .items,
    (items) => items,
    options,
  );
  return { list: { ...loaded.value, data: rows }, reload, pager };
}

interface ListProps<T> {
  readonly list: Loaded<readonly T[]>;
  readonly reload: () => void;
  readonly caption: string;
  readonly columns: readonly DataColumn[];
  readonly none: string;
  /** The row of the table. */
  readonly row: (item: T) => Row;
}

/** A list with its empty state, and a way to try again. */
export function List<T>({ list, reload, caption, columns, none, row }: ListProps<T>) {
  const { data } = list;
  return (
    <>
      <Pending loaded={list} retry={reload} />
      {data?.length === 0 && <p class="quiet-text">{none}</p>}
      {data !== undefined && data.length > 0 && <DataTable caption={caption} columns={columns} rows={data.map(row)} />}
    </>
  );
}
