import type { Config } from '../config.ts';
import { accruals } from './accruals/accrual-process.ts';
import { broadcastsProcess } from './broadcasts/broadcast-process.ts';
import { jobs } from './jobs/jobs.ts';
import { deliveries } from './payouts/deliveries.ts';
import { autoPayouts } from './payouts/run-auto-payouts.ts';
import type { Process } from './process.ts';
import { proof } from './proof/proof-process.ts';

/** Every process that the service starts. */
export function processesOf({ PROOF }: Pick<Config, 'PROOF'>): readonly Process[] {
  const always = [accruals, autoPayouts, deliveries(), broadcastsProcess, jobs];
  return PROOF === 'on' ? [...always, proof] : always;
}
