import { texts } from '../texts.ts';

export interface PagerProps {
  /** Rows before the first one that is shown. */
  readonly offset: number;
  readonly size: number;
  /** Whether rows come after the last one that is shown. */
  readonly more: boolean;
  readonly onOffset: (offset: number) => void;
}

/** Steps through a list; nothing where one page has it all. */
export function Pager({ offset, size, more, onOffset }: PagerProps) {
  if (offset === 0 && !more) return null;
  return (
    <div class="actions">
      <button type="button" disabled={offset === 0} onClick={() => onOffset(Math.max(0, offset - size))}>
        {texts.previousPage}
      </button>
      <button type="button" disabled={!more} onClick={() => onOffset(offset + size)}>
        {texts.nextPage}
      </button>
    </div>
  );
}
