import { texts } from '../texts.ts';
import type { AmountField } from './state.ts';

/** The name of an amount or a property for readers. */
export function fieldName(field: AmountField): string {
  const names: Readonly<Record<string, string>> = texts.reports.fields;
  return names[field] ?? field;
}
