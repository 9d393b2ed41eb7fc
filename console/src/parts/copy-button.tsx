import { useSignal } from '@preact/signals';
import { copy } from './copy.ts';
import { Icon } from './icon.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** Says what is copied, for a screen reader. */
  readonly label: string;
}

/** Copies a text that stands before it. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const said = useSignal('');
  return (
    <>
      <button
        type="button"
        class="btn quiet small only-icon"
        aria-label={label}
        onClick={async () => {
          said.value = await copy(text);
        }}
      >
        <Icon name="copy" />
      </button>
      <span role="status" class="quiet-text">
        {said.value}
      </span>
    </>
  );
}
