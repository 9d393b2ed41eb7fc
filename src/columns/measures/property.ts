import { customPropertyOf } from '../../domain/reports/fields.ts';
import type { Measure } from '../../domain/reports/report.ts';
import type { ArrayPool } from '../array-pool.ts';
import type { CodedName } from '../chunk.ts';
import { propertyColumn } from '../property-codes.ts';
import { MedianTally } from './median.ts';
import { SumTally } from './sum.ts';
import type { Tally, TallySize } from './tally.ts';

type PropertyMeasure = Extract<Measure, { type: 'property' }>;

/** A statistic of the values of events that have one. Exact: it adds and compares integers. */
export function propertyTally({ statistic, field }: PropertyMeasure, size: TallySize, arrays: ArrayPool): Tally {
  const column = decimalColumn(field);
  return statistic === 'median' ? new MedianTally(column, size, arrays) : new SumTally(statistic, column, size);
}

/** The column of the decimals of a measure. */
export function decimalColumn(field: PropertyMeasure['field']): CodedName {
  if (field === 'events.value_int') return 'value_int';
  return field === 'events.value_amount' ? 'value_amount' : propertyColumn(customPropertyOf(field)!);
}
