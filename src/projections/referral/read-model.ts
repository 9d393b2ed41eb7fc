import type { ClientBase } from 'pg';
import { findByKey } from '../batch-sql.ts';
import {
  botOfCommit,
  deleteExpired,
  ordOf,
  type Retention,
  saveUpdateIds,
  UPDATE_IDS_RETENTION,
} from '../intake-state.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';
import { referralManifest } from './manifest.ts';
import { foldCommit, OUTCOME_MEMORY_MS } from './referral-fold.ts';
import { type Bot, loadBatch, saveBots } from './referral-load.ts';
import { backfill, writeAdded, writeRules } from './referral-write.ts';
import { REFERRAL_DDL, REFERRAL_PLACEMENT } from './tables.ts';

/** Referral codes and their owners, referrals, reward rules, and the units that rewards are paid in. */
export const referralReadModel: ReadModel = {
  ...referralManifest,
  isolatesBots: true,
  events: [
    'bot_created',
    'bot_changed',
    'unit_created',
    'updates_received',
    'users_imported',
    'events_imported',
    'referrals_imported',
    'referral_code_created',
    'referral_code_owners_set',
    'referral_marked',
    'reward_rule_created',
    'reward_rule_changed',
  ],
  ddl: REFERRAL_DDL,
  placement: REFERRAL_PLACEMENT,
  async apply(tx, commits) {
    await findByKey(tx);
    const bots = await loadBatch(tx, commits);
    for (const commit of commits) await applyCommit(tx, bots, commit);
    const all = [...bots.values()];
    if (all.length === 0) return;
    const intakes = all.map(({ intake }) => intake);
    await writeAdded(tx, all);
    await saveBots(tx, all);
    await saveUpdateIds(tx, intakes);
    await deleteExpired(tx, intakes, RETENTIONS);
  },
};

const RETENTIONS: readonly Retention[] = [
  UPDATE_IDS_RETENTION,
  { table: 'outcomes', column: 'date', ms: OUTCOME_MEMORY_MS },
];

async function applyCommit(tx: ClientBase, bots: ReadonlyMap<string, Bot>, commit: ReadCommit): Promise<void> {
  if (commit.events.length === 0) return;
  const bot = botOfCommit(bots, commit);
  const awaited = foldCommit(bot, commit);
  await writeRules(tx, bot, commit);
  if (awaited.length === 0) return;
  await writeAdded(tx, [bot]);
  await backfill(tx, bot, awaited, { commitId: commit.id, ord: ordOf(commit) });
}
