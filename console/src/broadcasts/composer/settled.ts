import { type ReadonlySignal, type Signal, useSignal, useSignalEffect } from '@preact/signals';

const SETTLED_MS = 400;

/** The value of a signal once it has not changed for a moment, so that typing asks the service once. */
export function useSettled<T>(value: ReadonlySignal<T>): Signal<T> {
  const settled = useSignal(value.peek());
  useSignalEffect(() => {
    const next = value.value;
    const timer = setTimeout(() => {
      settled.value = next;
    }, SETTLED_MS);
    return () => clearTimeout(timer);
  });
  return settled;
}
