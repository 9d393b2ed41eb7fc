import { describe, expect, it } from 'vitest';
import { startCitus } from '../../support/citus-server.ts';
import { onServerOf } from '../../support/database.ts';
import { startTestService } from '../../support/service.ts';

const cluster = await startCitus();

describe.skipIf(cluster === null)('on a Citus cluster', () => {
  onServerOf(cluster);

  it('the service does not start if events are to be archived', async () => {
    await expect(startTestService({ EVENTS_ROWS_MONTHS: '6' })).rejects.toThrow(/^EVENTS_ROWS_MONTHS: .*Citus cluster/);
  });
});
