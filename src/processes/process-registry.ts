import { accruals } from './accruals/accrual-process.ts';
import { broadcastsProcess } from './broadcasts/broadcast-process.ts';
import { jobs } from './jobs/jobs.ts';
import { autoPayouts } from './payouts/auto-payouts.ts';
import { deliveries } from './payouts/deliveries.ts';
import type { Process } from './process.ts';

/** Every process: the service starts the processes of this list. */
export const processes: readonly Process[] = [accruals, autoPayouts, deliveries(), broadcastsProcess, jobs];
