import { expect, it } from 'vitest';
import { fuzzOperations } from '../support/openapi-fuzz.ts';
import { startTestService } from '../support/service.ts';

it('every operation answers 500 valid and almost valid calls as the OpenAPI document describes', async () => {
  const service = await startTestService();
  try {
    const { statuses, failures } = await fuzzOperations(service, 500);
    expect(failures).toEqual([]);
    for (const seen of statuses.values()) expect(seen.size).toBeGreaterThan(0);
  } finally {
    await service.stop();
  }
});
