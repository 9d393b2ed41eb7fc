import type { Measure } from '../../../domain/reports/report.ts';
import type { ArrayPool } from '../array-pool.ts';
import { medianTally } from './median.ts';
import { sumTally } from './sum.ts';
import type { Tally, TallySize } from './tally.ts';

type PropertyMeasure = Extract<Measure, { type: 'property' }>;

/** A statistic of the values of events that have one. Exact: it adds and compares integers. */
export function propertyTally({ statistic, field }: PropertyMeasure, size: TallySize, arrays: ArrayPool): Tally {
  const column = field === 'events.value_int' ? 'value_int' : 'value_amount';
  return statistic === 'median' ? medianTally(column, size, arrays) : sumTally(statistic, column, size);
}
