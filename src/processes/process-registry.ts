import type { Config } from '../config.ts';
import { accruals } from './accruals/accrual-process.ts';
import { broadcastsProcess } from './broadcasts/broadcast-process.ts';
import { jobs } from './jobs/jobs.ts';
import { deliveries } from './payouts/deliveries.ts';
import { autoPayouts } from './payouts/run-auto-payouts.ts';
import type { Process } from './process.ts';
import { proof } from './proof/proof-process.ts';
import { witnesses } from './proof/witness-process.ts';

/** Every process that the service starts. */
export function processesOf({ PROOF, WITNESS_POLICY }: Pick<Config, 'PROOF' | 'WITNESS_POLICY'>): readonly Process[] {
  const always = [accruals, autoPayouts, deliveries(), broadcastsProcess, jobs];
  if (PROOF === 'off') return always;
  return WITNESS_POLICY === undefined ? [...always, proof] : [...always, proof, witnesses];
}
