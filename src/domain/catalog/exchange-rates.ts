import Big from 'big.js';
import { type Decision, decider } from '../decider.ts';
import type { DataOf, EventOf } from '../event-type.ts';
import { Rejection } from '../rejection.ts';
import { exchangeRateSet } from './catalog-events.ts';
import { unitCodeProblem } from './checks.ts';

/** Stream `fx-global`: rates from one currency to another, each from a UTC day on. The last rate of a day counts. */

export type ExchangeRate = DataOf<typeof exchangeRateSet>;
export type ExchangeRatesEvent = EventOf<typeof exchangeRateSet>;
/** Rates by `from to date`. */
export type ExchangeRatesState = Map<string, string>;

export const exchangeRates = decider(
  [exchangeRateSet],
  (): ExchangeRatesState => new Map(),
  // Changed in place: a few years of daily rates are about 100,000 entries (see `Decider`).
  (state, { data }) => state.set(keyOf(data), data.rate),
);

/** Sets all rates or none. A rate that is set already is not recorded again. Paths are `<index>.<field>`. */
export function setExchangeRates(
  state: ExchangeRatesState,
  rates: readonly ExchangeRate[],
): Decision<ExchangeRatesEvent> {
  const latest = new Map<string, ExchangeRate>();
  for (const [index, given] of rates.entries()) {
    const { rate, date } = given;
    const problem = rateProblem(given, index);
    if (problem !== undefined) return problem;
    const named = { from: given.from.toUpperCase(), to: given.to.toUpperCase(), date };
    latest.set(keyOf(named), { ...named, rate: new Big(rate).toFixed() });
  }
  return [...latest]
    .filter(([key, { rate }]) => state.get(key) !== rate)
    .map(([, data]) => ({ type: 'exchange_rate_set', data }));
}

/** decisions.md#exact-decimals: up to 10^15, at most 30 digits after the point. */
const DECIMAL = /^\d{1,16}(\.\d{1,30})?$/;
const MAX_RATE = new Big(10).pow(15);
const DAY = /^(19[7-9]\d|20\d\d|2100)-\d\d-\d\d$/;

function rateProblem({ from, to, rate, date }: ExchangeRate, index: number): Rejection | undefined {
  const at = (field: string): string => `${index}.${field}`;
  const problem = unitCodeProblem(at('from'), from) ?? unitCodeProblem(at('to'), to);
  if (problem !== undefined) return problem;
  if (from.toUpperCase() === to.toUpperCase()) return new Rejection('invalid', at('to'), 'from and to must differ');
  if (!DECIMAL.test(rate) || new Big(rate).lte(0) || new Big(rate).gt(MAX_RATE))
    return new Rejection(
      'invalid',
      at('rate'),
      'rate must be a decimal above 0, up to 10^15, with at most 30 decimals',
    );
  if (!DAY.test(date) || new Date(`${date}T00:00:00Z`).toJSON()?.slice(0, 10) !== date)
    return new Rejection('invalid', at('date'), 'date must be a day of the years 1970 to 2100, YYYY-MM-DD');
  return undefined;
}

const keyOf = ({ from, to, date }: Omit<ExchangeRate, 'rate'>): string => `${from} ${to} ${date}`;
