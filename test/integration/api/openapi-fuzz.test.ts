import { afterAll, beforeAll, expect, it } from 'vitest';
import { fuzzOperations } from '../../support/openapi-fuzz.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

it('every operation answers requests that match its schema, or almost, as the document says', async () => {
  const { statuses, failures } = await fuzzOperations(service, 8);
  expect(failures).toEqual([]);
  expect(statuses.size).toBeGreaterThan(35);
  const accepted = [...statuses.values()].filter((seen) => seen.has(200)).length;
  // Some are hard to hit: there is little to pay, and what was earned can be taken back once.
  expect(accepted / statuses.size).toBeGreaterThan(0.6);
});
