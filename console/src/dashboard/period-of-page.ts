import { address } from '../address.ts';
import { type DashboardPeriod, periodFrom } from './span.ts';

/** The period that the address names, else 30 days. */
export const periodOfPage = (): DashboardPeriod => periodFrom(address.value.query.get('period'));
