import { address, go, here } from '../address.ts';
import { number } from '../format.ts';
import { texts } from '../texts.ts';

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
  const step = (label: string, enabled: boolean, to: number) => (
    <button
      class="btn small"
      type="button"
      disabled={!enabled}
      onClick={() => go(here({ [name]: to > 0 ? `${to}` : '' }))}
    >
      {label}
    </button>
  );
  if (offset >= total)
    return (
      <span>
        {texts.nothingHere} <a href={here({ [name]: '' })}>{texts.firstPage}</a>
      </span>
    );
  return (
    <>
      <span>{texts.rowsOf(number(offset + 1), number(Math.min(offset + size, total)), number(total))}</span>
      {total > size && (
        <div class="pages">
          {step(texts.previousPage, asked > 0, asked - size)}
          {step(texts.nextPage, asked + size < total, asked + size)}
        </div>
      )}
    </>
  );
}
