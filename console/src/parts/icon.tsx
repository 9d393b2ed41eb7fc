import sprite from '../icons.svg?no-inline';

export type IconName =
  | 'dashboard'
  | 'live'
  | 'report'
  | 'users'
  | 'segment'
  | 'broadcast'
  | 'referral'
  | 'events'
  | 'export'
  | 'settings'
  | 'operations'
  | 'search'
  | 'plus'
  | 'close'
  | 'check'
  | 'down'
  | 'right'
  | 'sort'
  | 'filter'
  | 'calendar'
  | 'copy'
  | 'more'
  | 'menu'
  | 'warn'
  | 'stop'
  | 'pause'
  | 'clock'
  | 'retry'
  | 'seal'
  | 'link'
  | 'money'
  | 'message'
  | 'pin'
  | 'moon'
  | 'table'
  | 'edit'
  | 'key'
  | 'help';

/** An icon of 16 px. It never stands alone: a word next to it or the label of its button says the same. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="i" aria-hidden="true">
      <use href={`${sprite}#i-${name}`} />
    </svg>
  );
}

/** The sign of the product. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <use href={`${sprite}#mark`} />
    </svg>
  );
}
