import type { ComponentChildren } from 'preact';
import { request, type Value } from '../api.ts';
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

const MOST = 200;

/** Loads all of a list below `/v1/settings/` that comes in parts. */
export function useWholeList<T>(path: string, bot: string) {
  return useLoad<readonly T[]>(() => async (signal) => {
    const all: T[] = [];
    for (;;) {
      const part = `${path}?${new URLSearchParams({ limit: `${MOST}`, offset: `${all.length}` })}`;
      const { items } = await request<{ items: readonly T[] }>(`/v1/settings/${part}`, { bot, signal });
      all.push(...items);
      if (items.length < MOST) return all;
    }
  });
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

interface ListedProps {
  readonly list: Loaded<readonly unknown[]>;
  readonly reload: () => void;
  readonly none: string;
  /** The table, once there are rows. */
  readonly children: ComponentChildren;
}

/** A list with its empty state, and a way to try again. */
export function Listed({ list, reload, none, children }: ListedProps) {
  const { data } = list;
  return (
    <>
      <Pending loaded={list} retry={reload} />
      {data?.length === 0 && <p class="quiet-text">{none}</p>}
      {data !== undefined && data.length > 0 && children}
    </>
  );
}
