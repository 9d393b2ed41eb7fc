import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { copy } from '../parts/copy.ts';
import { words } from './words.ts';

/** A secret that is shown once. Null: it was in an answer that was lost. */
export function Secret({ label, value, onStored }: SecretProps) {
  const told = useSignal('');
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), [value]);
  return (
    <section class="secret" ref={place} tabIndex={-1} aria-label={label}>
      <h3>{label}</h3>
      {value === null ? (
        <p>{words.secretLost}</p>
      ) : (
        <>
          <p>{words.secretOnce}</p>
          <code>{value}</code>
          <p class="btns">
            <button
              type="button"
              class="btn primary"
              onClick={() =>
                void copy(value).then((words) => {
                  told.value = words;
                })
              }
            >
              {words.copy}
            </button>
            <span role="status">{told.value}</span>
          </p>
        </>
      )}
      <button class="btn" type="button" onClick={onStored}>
        {words.stored}
      </button>
    </section>
  );
}

interface SecretProps {
  readonly label: string;
  readonly value: string | null;
  readonly onStored: () => void;
}
