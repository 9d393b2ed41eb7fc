import type { Measure } from '../../domain/reports/report.ts';
import type { ArrayPool } from '../array-pool.ts';
import { countTally } from './count.ts';
import { bytesOfPair as bytesOfPerUserPair, perUserTally } from './per-user.ts';
import { propertyTally } from './property.ts';
import type { Tally, TallySize } from './tally.ts';
import { bytesOfUser as bytesOfUniqueUser, uniquesTally } from './uniques.ts';

/** @param arrays gives the arrays that hold state of users and values */
export function createTally(measure: Measure, size: TallySize, arrays: ArrayPool): Tally {
  switch (measure.type) {
    case 'count':
      return countTally(size);
    case 'uniques':
      return uniquesTally(measure.of, size);
    case 'per_user':
      return perUserTally(measure.statistic, size, arrays);
    case 'property':
      return propertyTally(measure, size, arrays);
  }
}

/** Approximate bytes of state that a tally keeps for each user. */
export function bytesOfUser(measure: Measure, size: Pick<TallySize, 'lines' | 'buckets'>): number {
  switch (measure.type) {
    case 'uniques':
      return bytesOfUniqueUser(measure.of, size);
    case 'per_user':
      return size.lines * bytesOfPerUserPair;
    case 'count':
    case 'property':
      return 0;
  }
}
