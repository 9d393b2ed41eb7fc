import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { pause } from '../../src/util/pause.ts';
import { type PayoutName, type PayoutSetup, payoutSetup } from './payout-setup.ts';
import { type WebhookReceiver, webhookReceiver } from './webhook-receiver.ts';

export const SECOND = 1000;
export const HOUR = 3_600_000;

export interface DeliveryTests {
  /** One for all tests of the file. */
  readonly setup: PayoutSetup;
  /** The client's server of this test. */
  readonly client: WebhookReceiver;
  /** Waits until the payout has these fields. */
  becomes(name: PayoutName, expected: object): Promise<void>;
  /** Checks that the client gets no further call for a while. */
  still(count: number): Promise<void>;
}

/** Starts a setup for the file's tests and a client for each, over real HTTP, on a clock that the tests move. */
export function deliveryTests(): DeliveryTests {
  let setup: PayoutSetup;
  let client: WebhookReceiver;
  beforeAll(async () => {
    setup = await payoutSetup();
  });
  beforeEach(async () => {
    client = await webhookReceiver();
  });
  /** Leaves no payout that ever becomes due: the next tests move the same clock. */
  afterEach(async () => {
    await setup.stopAll();
    await client.close();
  });
  afterAll(() => setup.close());
  return {
    get setup() {
      return setup;
    },
    get client() {
      return client;
    },
    becomes: (name, expected) => expect.poll(() => setup.payoutState(name)).toMatchObject(expected),
    async still(count) {
      await pause(400);
      expect(client.calls).toHaveLength(count);
    },
  };
}
