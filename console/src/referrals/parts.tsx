import { number } from '../format.ts';
import type { Amount, Names, Program } from './data.ts';
import { words } from './words.ts';

/** The code of a unit, such as USD. */
export function unitName(units: Program['units'], id: number | null): string {
  if (id === null) return words.noUnit;
  return units.find(({ unit_id }) => unit_id === id)?.code ?? words.unitById(id);
}

/** A user by name, else by id. */
export function nameOf({ user_id, first_name, username }: Names): string {
  const name = [first_name, username === null ? null : `@${username}`].filter((part) => part !== null).join(' ');
  return name === '' ? words.unnamed(user_id) : name;
}

const isNegative = (amount: Amount): boolean => String(amount).startsWith('-');

/** An amount with all its digits; one below zero stands out by more than its color. */
export function Money({ amount }: { readonly amount: Amount }) {
  const text = number(amount);
  return <span class={isNegative(amount) ? 'negative' : undefined}>{text.replace('-', '−')}</span>;
}
