import Big from 'big.js';
import type { Bound, Condition } from '../domain/condition/condition.ts';
import type { ReportField } from '../domain/reports/fields.ts';

/** Integers from `low` to `high`, both included. */
interface IntegerRange {
  readonly low: number;
  readonly high: number;
}

type NumberCondition = Extract<Condition<ReportField>, { readonly type: 'range' | 'one_of' }>;

/** The ranges of integers, scaled by `decimals`, that fulfil a condition on a decimal. Exact for integers that a double holds. */
export function integerRanges(condition: NumberCondition, decimals: number): IntegerRange[] {
  const scaled = (value: Bound['value']) => new Big(value.value as string).times(new Big(10).pow(decimals));
  if (condition.type === 'one_of')
    return condition.values.flatMap((value) => {
      const integer = scaled(value);
      return floor(integer).eq(integer) ? [{ low: toDouble(integer), high: toDouble(integer) }] : [];
    });
  const { from, to } = condition;
  return [
    {
      low: from === null ? Number.NEGATIVE_INFINITY : toDouble(above(scaled(from.value), from.inclusive)),
      high: to === null ? Number.POSITIVE_INFINITY : toDouble(below(scaled(to.value), to.inclusive)),
    },
  ];
}

function above(bound: Big, inclusive: boolean): Big {
  const whole = floor(bound);
  return inclusive && whole.eq(bound) ? whole : whole.plus(1);
}

function below(bound: Big, inclusive: boolean): Big {
  const whole = floor(bound);
  return inclusive || !whole.eq(bound) ? whole : whole.minus(1);
}

function floor(number: Big): Big {
  const whole = number.round(0, Big.roundDown);
  return whole.gt(number) ? whole.minus(1) : whole;
}

/** An integer that no double holds exactly is beyond all integers that one holds. */
function toDouble(integer: Big): number {
  if (integer.abs().lte(Number.MAX_SAFE_INTEGER)) return integer.toNumber();
  return integer.gt(0) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
}
