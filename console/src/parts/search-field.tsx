import { useRef } from 'preact/hooks';
import { address, go, here } from '../address.ts';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';

/** A search reads all users of a list, so it waits until typing rests. */
const REST_MS = 300;

/** Searches a list of users. The address has the words as `find`. @param label what is found and by what */
export function SearchField({ label }: { readonly label: string }) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return (
    <div class="with-icon find">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={texts.find(label)}
        placeholder={label}
        defaultValue={address.value.query.get('find') ?? ''}
        maxLength={250}
        onInput={({ currentTarget: { value } }) => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => go(here({ find: value, offset: '' }), { replace: true }), REST_MS);
        }}
      />
    </div>
  );
}
