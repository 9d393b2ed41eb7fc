import { go, here } from '../address.ts';
import { texts } from '../texts.ts';

interface PageStepsProps {
  /** The entry of the address that has the number of rows before the page. */
  readonly name: string;
  readonly offset: number;
  /** Rows of a page. */
  readonly size: number;
  readonly hasMore: boolean;
}

/** The ways to the page before and to the next one. */
export function PageSteps({ name, offset, size, hasMore }: PageStepsProps) {
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
  return (
    <div class="pages">
      {step(texts.previousPage, offset > 0, offset - size)}
      {step(texts.nextPage, hasMore, offset + size)}
    </div>
  );
}

/** Says that the page of the address has no rows, and leads to the first one. */
export const NoRows = ({ name }: Pick<PageStepsProps, 'name'>) => (
  <>
    {texts.nothingHere} <a href={here({ [name]: '' })}>{texts.firstPage}</a>
  </>
);
