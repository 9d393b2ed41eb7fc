import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The width of an element in CSS pixels, now and after each change; 0 before it stands. */
export function useWidth(): { readonly place: RefObject<HTMLDivElement | null>; readonly width: number } {
  const place = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  useLayoutEffect(() => {
    const element = place.current!;
    width.value = element.clientWidth;
    const observer = new ResizeObserver(() => {
      width.value = element.clientWidth;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { place, width: width.value };
}
