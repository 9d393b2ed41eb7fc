import { signal } from '@preact/signals';

/** The question of the open report as its address would have it, so that another bot can be asked the same; null: none is open. */
export const openQuestion = signal<string | null>(null);
