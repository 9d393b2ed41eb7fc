import { useSignal } from '@preact/signals';

/**
 * Properties of an input that tells its text when the typing is over. Until then no rendering of the page takes the text back.
 */
export function useTyped(value: string | number, commit: (input: HTMLInputElement) => void) {
  const typed = useSignal<string | null>(null);
  return {
    value: typed.value ?? value,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => {
      typed.value = currentTarget.value;
    },
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }): void => {
      typed.value = null;
      commit(currentTarget);
    },
  };
}
