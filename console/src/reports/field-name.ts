import type { AmountField } from './state.ts';
import { words as reportsWords } from './words.ts';

/** The name of an amount or a property for readers. */
export function fieldName(field: AmountField): string {
  const names: Readonly<Record<string, string>> = reportsWords.fields;
  return names[field] ?? field;
}
