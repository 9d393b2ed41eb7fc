import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Drawer } from '../parts/drawer.tsx';
import { Icon } from '../parts/icon.tsx';

interface MakerProps {
  /** The text of the button and the title of the layer, such as `New rule`. */
  readonly title: string;
  /** The form. @param close after the thing is made */
  readonly form: (close: () => void) => ComponentChildren;
}

/** A button that opens a form for a new thing. */
export function Maker({ title, form }: MakerProps) {
  const isOpen = useSignal(false);
  const close = (): void => {
    isOpen.value = false;
  };
  return (
    <>
      <button
        type="button"
        class="btn"
        onClick={() => {
          isOpen.value = true;
        }}
      >
        <Icon name="plus" /> {title}
      </button>
      {isOpen.value && (
        <Drawer title={title} onClose={close}>
          {form(close)}
        </Drawer>
      )}
    </>
  );
}
