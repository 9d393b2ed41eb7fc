import { address } from '../address.ts';
import { number } from '../format.ts';
import { texts } from '../texts.ts';
import { NoRows, PageSteps } from './page-steps.tsx';

interface PagerProps {
  /** The entry of the address that has the number of rows before the page. */
  readonly name: string;
  /** Rows of a page. */
  readonly size: number;
  readonly offset: number;
  readonly total: number;
}

/** Which rows of how many are shown, and the way to the others. */
export function Pager({ name, size, offset, total }: PagerProps) {
  const asked = Number(address.value.query.get(name));
  if (offset >= total)
    return (
      <span>
        <NoRows name={name} />
      </span>
    );
  return (
    <>
      <span>{texts.rowsOf(number(offset + 1), number(Math.min(offset + size, total)), number(total))}</span>
      {total > size && <PageSteps name={name} offset={asked} size={size} hasMore={asked + size < total} />}
    </>
  );
}
