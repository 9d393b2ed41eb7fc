import { Gauge, type Registry } from 'prom-client';

/** Shows how the clocks differ. One thread shows it: all threads have the clock of their machine. */
export function clockMetric(registry: Registry, aheadMs: () => number): void {
  new Gauge({
    name: 'botledger_clock_ahead_seconds',
    help: "Seconds by which this machine's clock is ahead of the database's; negative: behind",
    registers: [registry],
    collect() {
      this.set(aheadMs() / 1000);
    },
  });
}
