import { changeBot, createBot, rotateWebhookSecret } from '../../src/commands/catalog/change-bot.ts';
import { changeOwner, createOwner } from '../../src/commands/catalog/change-owner.ts';
import { createGoal } from '../../src/commands/catalog/create-goal.ts';
import { describeEvent } from '../../src/commands/catalog/describe-event.ts';
import { type IssuedKey, type IssueKey, issueKey, revokeKey, rotateKey } from '../../src/commands/catalog/keys.ts';
import { setExchangeRates } from '../../src/commands/catalog/set-exchange-rates.ts';
import { createUnit } from '../../src/commands/catalog/units.ts';
import type { CommandContext } from '../../src/commands/decide-and-append.ts';
import { createEventTypeDirectory } from '../../src/commands/intake/event-type-directory.ts';
import {
  finishJob,
  issueOperator,
  recordAudit,
  requestJob,
  revokeOperator,
} from '../../src/commands/operations/operator-work.ts';

export async function anOwner(context: CommandContext): Promise<number> {
  const profile = { name: 'Ann', currency: 'EUR', plan: 'premium', broadcastsPerMonth: 100 } as const;
  return (await createOwner(context, profile)).ownerId;
}

export async function aKey(
  context: CommandContext,
  ownerId: number,
  bots: IssueKey['bots'],
  more: Partial<IssueKey> = {},
): Promise<IssuedKey> {
  return issueKey(context, { ownerId, bots, kind: 'service', name: null, expiresAt: null, ...more });
}

/** Some of each row of the catalog: two owners, three bots, keys issued, rotated and revoked, rates, operators, jobs. */
export async function aBusyCatalog(context: CommandContext): Promise<void> {
  const directory = createEventTypeDirectory(context);
  for (const seed of [1, 2]) {
    const ownerId = await anOwner(context);
    for (let each = 0; each < seed; each++) {
      const { publicKey } = await createBot(context, { ownerId, name: `Bot ${each}`, username: 'shop' });
      await changeBot(context, publicKey, { timezone: 'Europe/Berlin', username: each === 0 ? null : 'other' });
      await directory.resolve(publicKey, ['buy', 'view']);
      await createGoal(context, { bot: publicKey, targetId: 2, name: 'Sign-up' });
      for (const title of ['Started', 'Began'])
        await describeEvent(context, { bot: publicKey, event_id: 1, title, hidden: true });
      await directory.resolve(publicKey, ['search']);
      await createUnit(context, { bot: publicKey, code: 'GEM', name: 'Gems' });
      await rotateWebhookSecret(context, publicKey);
      const key = await aKey(context, ownerId, [publicKey], { name: 'shop' });
      await rotateKey(context, { ownerId, keyId: key.keyId, overlap: 1000 });
      await revokeKey(context, { ownerId, keyId: key.keyId });
    }
    await aKey(context, ownerId, 'all');
    await changeOwner(context, ownerId, { plan: 'free' });
    for (const rate of ['1.1', '1.2', `1.${seed}5`])
      await setExchangeRates(context, [{ from: 'EUR', to: 'USD', rate, date: '2025-01-15' }]);
    const { operatorId } = await issueOperator(context, { name: 'Eve', can: 'act' });
    const job = { kind: 'audit', projection: null, bot: null, userId: seed, reason: 'a test', operatorId } as const;
    const { jobId } = await requestJob(context, job, undefined);
    if (seed === 1) continue;
    await finishJob(context, jobId, { outcome: 'done', summary: 'all is well', findings: [], findings_count: 0 });
    await revokeOperator(context, operatorId);
    await recordAudit(context, { outcome: 'done', summary: 'all is well', findings: [], findings_count: 0 });
  }
}
