import { type RawBuilder, sql } from 'kysely';
import type { Statistic } from '../../domain/report/aggregation.ts';

/** Decimals of a mean, rounded half away from zero. */
export const MEAN_DECIMALS = 12;

/**
 * A statistic of a numeric expression, exact: decimals in, decimals out, never through a double. Missing values are left
 * out; of none at all it is null.
 */
export function statisticSql(statistic: Statistic | 'sum', of: RawBuilder<unknown>): RawBuilder<unknown> {
  switch (statistic) {
    case 'sum':
    case 'min':
    case 'max':
      return sql`${sql.raw(statistic)}(${of})`;
    case 'avg':
      // A quotient has 16 significant digits, for large sums fewer than the 6 decimals promised (decisions.md 4.7), but
      // never fewer decimals than the dividend: 30 zeros leave nothing that could be rounded twice.
      return sql`round((sum(${of}) + ${ZERO_OF_SCALE_30}::numeric) / count(${of}), ${MEAN_DECIMALS}::int)`;
    case 'median':
      // percentile_cont computes in double precision. percentile_disc gives the lower of the middle two, and in
      // descending order the upper; half of their sum by multiplication is exact.
      return sql`(percentile_disc(0.5) WITHIN GROUP (ORDER BY ${of})
        + percentile_disc(0.5) WITHIN GROUP (ORDER BY ${of} DESC)) * 0.5`;
  }
}

const ZERO_OF_SCALE_30 = `0.${'0'.repeat(30)}`;
