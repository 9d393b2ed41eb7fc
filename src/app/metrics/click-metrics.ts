import { Counter, type Registry } from 'prom-client';
import { CLICK_RESULTS, type ClickResult } from '../../api/clicks/recorder.ts';

/** Counts clicks on links of broadcasts (decisions.md#clicks-counted). */
export function clickMetrics(registry: Registry): (result: ClickResult, clicks: number) => void {
  const clicks = new Counter({
    name: 'botledger_clicks_total',
    help: 'Clicks on links of broadcasts: recorded, repeated (of one recipient and link too often) or dropped (not recorded)',
    labelNames: ['result'] as const,
    registers: [registry],
  });
  for (const result of CLICK_RESULTS) clicks.inc({ result }, 0);
  return (result, by) => clicks.inc({ result }, by);
}
