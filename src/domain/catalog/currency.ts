import { data, publishDate } from 'currency-codes';

/** ISO 4217's currencies and `XTR`, the messaging platform's stars, with their minor-unit exponents (JPY 0, BHD 3). */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...data.map(({ code, digits }) => [code, digits] as const),
  ['XTR', 0],
]);

/** When the list of ISO 4217 that is used here was published, `YYYY-MM-DD`. */
export const CURRENCY_LIST_DATE: string = publishDate;

/** How many decimals a currency's normal unit has; undefined: not a currency. `code` is in capitals. */
export function currencyDigits(code: string): number | undefined {
  return DIGITS.get(code);
}
