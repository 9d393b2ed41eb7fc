import type { ComponentChildren } from 'preact';
import { address, go, href } from '../address.ts';
import { date } from '../format.ts';
import { Pending } from '../parts/failure.tsx';
import type { Loaded } from '../parts/load.ts';
import { Pager } from '../parts/pager.tsx';
import { texts } from '../texts.ts';

/** Rows of a page of a list of the API. */
export const SIZE = 50;

export interface ListingProps {
  readonly loaded: Loaded<{ readonly data_as_of: string }>;
  readonly reload: () => void;
  /** Rows of this page; absent: not known yet. */
  readonly count: number | undefined;
  /** Of the list's first page. */
  readonly first: Readonly<Record<string, string | undefined>>;
  /** Says that the whole list is empty. */
  readonly none: ComponentChildren;
  readonly filters: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page of a list: what chooses its rows, the rows, and the way to others. */
export function Listing({ loaded, reload, count, first, none, filters, children }: ListingProps) {
  const { data, loading } = loaded;
  const offset = Number(address.value.query.get('offset') ?? 0);
  return (
    <section aria-busy={loading}>
      <div class="row filters">{filters}</div>
      <Pending loaded={loaded} retry={reload} />
      {count === 0 &&
        (offset === 0 ? (
          none
        ) : (
          <p>
            {texts.referrals.nothingHere} <a href={href('/referrals', first)}>{texts.referrals.firstPage}</a>
          </p>
        ))}
      {count !== undefined && count > 0 && (
        <>
          {children}
          <Pager
            offset={offset}
            size={SIZE}
            more={count === SIZE}
            onOffset={(to) => go(href('/referrals', { ...first, offset: `${to}` }))}
          />
        </>
      )}
      {data !== undefined && <p class="quiet">{texts.countedUpTo(date(data.data_as_of))}</p>}
    </section>
  );
}
