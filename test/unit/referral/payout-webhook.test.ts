import { expect, it } from 'vitest';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { createOwner } from '../../../src/commands/catalog/change-owner.ts';
import {
  findPayoutWebhook,
  rotatePayoutSecret,
  setPayoutWebhook,
} from '../../../src/commands/referral/payout-webhook.ts';
import { type EventLog, LogUnavailableError } from '../../../src/log/port.ts';
import { memoryLog } from '../../support/memory-log.ts';
import { testSources } from '../../support/test-sources.ts';

/** A log that cannot be asked for anything once it has appended. */
function downAfterAppend(log: EventLog): EventLog {
  let isDown = false;
  const unlessDown =
    <A extends unknown[], T>(ask: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> =>
      isDown ? Promise.reject(new LogUnavailableError('down')) : ask(...args);
  return {
    ...log,
    async append(commit) {
      const appended = await log.append(commit);
      isDown = true;
      return appended;
    },
    read: unlessDown(log.read),
    keys: { ...log.keys, find: unlessDown(log.keys.find), keysFor: unlessDown(log.keys.keysFor) },
  };
}

it('a webhook that is stored is answered with its secret, although the log fails right after', async () => {
  const context = { log: memoryLog(), sources: testSources() };
  const unsteady = () => ({ ...context, log: downAfterAppend(context.log) });
  const { ownerId } = await createOwner(context, {
    name: 'Ann',
    currency: 'EUR',
    plan: 'free',
    broadcastsPerMonth: 1,
  });
  const { publicKey } = await createBot(context, { ownerId, name: 'Shop' });
  const secrets = async () => (await findPayoutWebhook(context, publicKey))?.secrets;

  const first = await setPayoutWebhook(unsteady(), publicKey, 'https://shop.example/1');
  expect(first).toMatchObject({ isFirst: true, secret: (await secrets())?.[0] });
  const moved = await setPayoutWebhook(unsteady(), publicKey, 'https://shop.example/2');
  expect(moved).toMatchObject({ isFirst: false, secret: first.secret });
  const { secret } = await rotatePayoutSecret(unsteady(), publicKey);
  expect(await secrets()).toEqual([secret, first.secret]);
  const last = await setPayoutWebhook(unsteady(), publicKey, 'https://shop.example/3');
  expect(last.secret).toBe(secret);
});
