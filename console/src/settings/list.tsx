import { request, type Value } from '../api.ts';
import { type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { type Loaded, useLoad } from '../parts/load.ts';
import { texts } from '../texts.ts';

export type Row = Readonly<Record<string, Value>>;

/** Loads a list below `/v1/settings/`. */
export function useList<T = Row>(path: string, bot: string) {
  return useLoad<readonly T[]>(
    () => async (signal) => (await request<{ items: readonly T[] }>(`/v1/settings/${path}`, { bot, signal })).items,
  );
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
export function List<T>({ list: { data, error }, reload, caption, columns, none, row }: ListProps<T>) {
  return (
    <>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {data === undefined && error === undefined && <p class="quiet">{texts.loading}</p>}
      {data?.length === 0 && <p class="quiet">{none}</p>}
      {data !== undefined && data.length > 0 && <DataTable caption={caption} columns={columns} rows={data.map(row)} />}
    </>
  );
}
