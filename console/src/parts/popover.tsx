import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface PopoverProps {
  /** The button that opened it: the layer stands below it, and gets the focus back to it. */
  readonly opener: HTMLElement;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

const MARGIN = 8;

/** A layer below a button. It closes by Escape, and by a press or a focus outside of it. */
export function Popover({ opener, onClose, children }: PopoverProps) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current!;
    element.showPopover();
    place(element, opener);
    const closeOutside = (event: Event): void => {
      const target = event.target as Node;
      if (!element.contains(target) && !opener.contains(target)) onClose();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      event.preventDefault();
      onClose();
      opener.focus();
    };
    element.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', closeOutside);
    document.addEventListener('focusin', closeOutside);
    const move = (): void => place(element, opener);
    window.addEventListener('resize', move);
    window.addEventListener('scroll', move, true);
    return () => {
      element.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', closeOutside);
      document.removeEventListener('focusin', closeOutside);
      window.removeEventListener('resize', move);
      window.removeEventListener('scroll', move, true);
    };
  }, [opener]);
  return (
    <div ref={box} popover="manual" class="popover">
      {children}
    </div>
  );
}

/** Puts the layer below its button, or above it where there is no room below, within the window. */
function place(element: HTMLElement, opener: HTMLElement): void {
  const at = opener.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = Math.max(MARGIN, Math.min(at.left, window.innerWidth - width - MARGIN));
  const isBelow = at.bottom + height + MARGIN <= window.innerHeight || at.top < height;
  element.style.left = `${left}px`;
  element.style.top = `${isBelow ? at.bottom + 4 : at.top - height - 4}px`;
}
