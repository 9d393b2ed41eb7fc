import type { SealedUpdateItem, UpdateItem } from '../../domain/intake/intake-events.ts';
import { acceptUpdate, acceptUser, advanceClock } from '../../domain/intake/intake-fold.ts';
import {
  type AttributionDecision,
  type CodeOwned,
  decideAttribution,
  type Effect,
  evolveAttribution,
  type Fact,
} from '../../domain/referral/attribution.ts';
import { ordOf } from '../intake-state.ts';
import type { ReadCommit } from '../read-model.ts';
import type { Bot } from './referral-load.ts';

/** How long outcomes are kept, by the times of receipt: longer than an Idempotency-Key is remembered. */
export const OUTCOME_MEMORY_MS = 2 * 24 * 60 * 60 * 1000;

/**
 * Folds a commit into the bot's state. Rows to add are in `bot.added`.
 * @returns codes that got an owner and may have visits waiting: the caller counts these before it folds the next commit
 */
export function foldCommit(bot: Bot, commit: ReadCommit): CodeOwned[] {
  if (commit.events.length > 0) advanceClock(bot.intake, commit.at);
  let idx = 0;
  const awaited: CodeOwned[] = [];
  for (const event of commit.events)
    switch (event.type) {
      case 'bot_changed':
        bot.newUsersOnly = event.data.referral_new_users_only ?? bot.newUsersOnly;
        break;
      case 'updates_received':
        for (const item of event.data.items) foldUpdate(bot, commit, item, ordOf(commit, idx++));
        break;
      case 'users_imported':
      case 'events_imported':
        for (const { user_id } of event.data.items) if (acceptUser(bot.intake, user_id)) bot.added.users.push(user_id);
        break;
      case 'referrals_imported':
        for (const { user_id, referrer_id, date = commit.at } of event.data.items) {
          if (acceptUser(bot.intake, user_id)) bot.added.users.push(user_id);
          const mark = { referral_user_id: user_id, code: null, referrer_id, new_code: null, at: date };
          apply(bot, commit, { type: 'marked', ...mark }, ordOf(commit)); // a caller waits for none of these outcomes
        }
        break;
      case 'referral_code_created':
        take(bot, commit, { ...event.data, type: 'code_created' });
        break;
      case 'referral_code_owners_set':
        awaited.push(...take(bot, commit, { ...event.data, type: 'owners_set' }));
        break;
      case 'referral_marked':
        take(bot, commit, { ...event.data, type: 'marked', at: commit.at });
        break;
    }
  return awaited;
}

function foldUpdate(bot: Bot, commit: ReadCommit, item: UpdateItem | SealedUpdateItem, ord: number): void {
  const accepted = acceptUpdate(bot.intake, item, commit.at);
  if (accepted === null) return;
  const { user_id } = item;
  const { userAppears, visitBy: code } = accepted;
  if (userAppears) bot.added.users.push(user_id);
  // An update without an event is no visit here, whatever its start parameter.
  if (code === null || item.event_id === undefined) return;
  const refers = userAppears || !bot.newUsersOnly;
  take(bot, commit, { type: 'visited', user_id, code, date: item.date ?? commit.at, refers }, ord);
}

/** Decides on a fact, adds its rows and keeps the outcome. @returns codes that got an owner and may have visits waiting */
function take(bot: Bot, commit: ReadCommit, fact: Fact, ord = ordOf(commit)): CodeOwned[] {
  const { awaited, outcome } = apply(bot, commit, fact, ord);
  if (outcome !== null && bot.intake.clock - commit.at <= OUTCOME_MEMORY_MS)
    bot.added.outcomes.push({ commit_id: commit.id, date: commit.at, outcome });
  return awaited;
}

function apply(
  bot: Bot,
  commit: ReadCommit,
  fact: Fact,
  ord: number,
): { readonly awaited: CodeOwned[]; readonly outcome: AttributionDecision['outcome'] } {
  const { effects, outcome } = decideAttribution(bot.attribution, fact);
  const awaited: CodeOwned[] = [];
  for (const effect of effects) {
    evolveAttribution(bot.attribution, effect);
    note(bot, commit, effect, ord);
    if (effect.type === 'code_owned' && effect.awaited) awaited.push(effect);
  }
  return { awaited, outcome };
}

function note({ added }: Bot, { at }: ReadCommit, effect: Effect, ord: number): void {
  switch (effect.type) {
    case 'code_known': {
      const { code } = effect;
      added.codes.set(code, { code, owner_id: null, listed: false, date_create: null, ord: null });
      return;
    }
    case 'code_owned': {
      const { code, owner_id, listed } = effect;
      added.codes.set(code, { code, owner_id, listed, date_create: at, ord });
      return;
    }
    case 'visit_waits': {
      const { code, user_id, date } = effect;
      const key = `${user_id} ${code}`;
      const before = added.visits.get(key);
      if (before === undefined || date < before.date) added.visits.set(key, { code, user_id, date, ord });
      return;
    }
    case 'user_referred': {
      const { type: _, ...referral } = effect;
      added.referrals.push({ ...referral, ord });
    }
  }
}
