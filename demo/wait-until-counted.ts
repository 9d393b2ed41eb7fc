import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './client.ts';

/** A report without events; its answer has the lag of reports. */
const NOTHING = {
  report_config: {
    source_request: {
      type: 'trends',
      type_chart: 'table',
      requests: [{ type: 'trend', event_id: 1, event_name: 'start', agr: 'total' }],
    },
    settings: { params: { ':date_from': '2000-01-01 00:00:00', ':date_to': '2000-01-01 00:00:00' } },
  },
};
const INTERVAL_MS = 200;
const PATIENCE_MS = 300_000;

/**
 * Returns when reports have counted all that was acknowledged before the call. It compares the lag with the time since the
 * call, so that neither constant other traffic nor a different clock makes it wait.
 * @throws Error if that takes longer than `patienceMs`
 */
export async function waitUntilCounted(client: Client, patienceMs = PATIENCE_MS): Promise<void> {
  const began = performance.now();
  for (;;) {
    const asked = performance.now();
    const { data } = await client.post('reports/preview', NOTHING);
    if ((data as { readonly meta: { readonly lag_ms: number } }).meta.lag_ms <= asked - began) return;
    if (performance.now() - began > patienceMs)
      throw new Error('all is sent, but reports have not counted it yet: see npx botledger projection list');
    await pause(INTERVAL_MS);
  }
}
