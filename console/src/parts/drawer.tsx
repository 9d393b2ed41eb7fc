import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';

export interface DrawerProps {
  readonly title: ComponentChildren;
  /** A line below the title. */
  readonly sub?: ComponentChildren;
  readonly onClose: () => void;
  /** At the start side, as the menu on a phone; default: at the end. */
  readonly atStart?: boolean;
  readonly footer?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A layer at the side of the page. It is open while it is rendered. Escape closes it and returns the focus. */
export function Drawer({ title, sub, onClose, atStart, footer, children }: DrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const element = dialog.current!;
    const opener = document.activeElement as HTMLElement | null;
    element.showModal();
    return () => {
      element.close();
      opener?.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it; a click beside it does the same
    <dialog
      ref={dialog}
      class={atStart === true ? 'drawer at-start' : 'drawer'}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <header>
        <div>
          <h2 id={id} title={typeof title === 'string' ? title : undefined}>
            {title}
          </h2>
          {sub !== undefined && <p class="quiet-text small-text">{sub}</p>}
        </div>
        <button type="button" class="btn quiet small only-icon" aria-label={texts.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="body">{children}</div>
      {footer !== undefined && <footer class="btns">{footer}</footer>}
    </dialog>
  );
}
