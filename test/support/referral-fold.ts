import type { ReadCommit } from '../../src/projections/read-model.ts';

/**
 * The expected content of the read model `referral` for one bot, calculated from its log in the simplest way: one fact
 * after the other, each compared with all earlier facts.
 */
export interface ReferralSnapshot {
  readonly known: readonly number[];
  /** Every known code, with its owner. */
  readonly codes: readonly object[];
  /** Visits that wait for an owner of their code. */
  readonly visits: readonly object[];
  readonly referrals: readonly object[];
  /** By commit. */
  readonly outcomes: Readonly<Record<string, object>>;
}

interface Owned {
  readonly code: string;
  readonly owner_id: number;
  readonly listed: boolean;
  readonly date_create: number;
  readonly ord: number;
}
interface Visit {
  readonly code: string;
  readonly user_id: number;
  readonly date: number;
  readonly ord: number;
}
interface Referral {
  readonly user_id: number;
  readonly referrer_id: number;
  readonly code: string | null;
  readonly date: number;
  readonly ord: number;
}

export function foldReferrals(commits: readonly ReadCommit[]): ReferralSnapshot {
  let newUsersOnly = false;
  const updates: number[] = [];
  const known: number[] = [];
  /** Codes that a visit or a mark named. */
  const named: string[] = [];
  const owned: Owned[] = [];
  const visits: Visit[] = [];
  const referrals: Referral[] = [];
  const outcomes: Record<string, object> = {};
  const ownerOf = (code: string) => owned.find((each) => each.code === code)?.owner_id;
  const referrerOf = (user: number) => referrals.find(({ user_id }) => user_id === user)?.referrer_id;
  const isKnown = (code: string) => named.includes(code) || ownerOf(code) !== undefined;

  function visit(user_id: number, code: string, date: number, ord: number): void {
    named.push(code);
    const owner = ownerOf(code);
    if (referrerOf(user_id) !== undefined) return;
    if (owner === undefined) visits.push({ code, user_id, date, ord });
    else if (owner !== user_id) referrals.push({ user_id, referrer_id: owner, code, date, ord });
  }

  for (const { id, at, ordinal, events } of commits)
    for (const event of events) {
      const ord = ordinal * 1024;
      switch (event.type) {
        case 'bot_created':
        case 'bot_changed':
          newUsersOnly = event.data.referral_new_users_only ?? newUsersOnly;
          break;
        case 'users_imported':
        case 'events_imported':
          known.push(...event.data.items.map(({ user_id }) => user_id));
          break;
        case 'updates_received':
          for (const [i, item] of event.data.items.entries()) {
            if (updates.includes(item.update_id)) continue;
            updates.push(item.update_id);
            const first = !known.includes(item.user_id);
            if (item.makes_user) known.push(item.user_id);
            if (!known.includes(item.user_id) || item.start_param === undefined) continue;
            if (first || !newUsersOnly) visit(item.user_id, item.start_param, item.date ?? at, ord + i);
            else named.push(item.start_param);
          }
          break;
        case 'referral_code_created': {
          const { code, user_id } = event.data;
          const created = !isKnown(code);
          if (created) owned.push({ code, owner_id: user_id, listed: true, date_create: at, ord });
          outcomes[id] = { type: 'code_created', created };
          break;
        }
        case 'referral_code_owners_set': {
          const backfilled = new Map<string, number>();
          const results = event.data.elements.map(({ code, user_id }) => {
            const owner = ownerOf(code);
            if (owner === undefined) owned.push({ code, owner_id: user_id, listed: false, date_create: at, ord });
            return { code, owner_id: owner ?? user_id, created: owner === undefined };
          });
          for (const { code, owner_id, created } of results) {
            const earliest = visits.filter((each) => each.code === code).sort((a, b) => a.date - b.date);
            for (const { user_id, date } of created ? earliest : []) {
              if (user_id === owner_id || referrerOf(user_id) !== undefined) continue;
              referrals.push({ user_id, referrer_id: owner_id, code, date, ord });
              backfilled.set(code, (backfilled.get(code) ?? 0) + 1);
            }
          }
          const counts = backfilled.size === 0 ? {} : { backfilled: Object.fromEntries(backfilled) };
          outcomes[id] = { type: 'owners_set', results, ...counts };
          break;
        }
        case 'referrals_imported':
          for (const { user_id, referrer_id, date = at } of event.data.items) {
            known.push(user_id);
            if (user_id === referrer_id || referrerOf(user_id) !== undefined) continue;
            referrals.push({ user_id, referrer_id, code: null, date, ord });
          }
          break;
        case 'referral_marked': {
          const { referral_user_id: user, code, referrer_id, new_code } = event.data;
          const refused = (reason: string) => {
            outcomes[id] = { type: 'mark_refused', reason };
          };
          const marked = (referrer: number | null, by: string | null, already_attributed: boolean) => {
            outcomes[id] = { type: 'marked', referrer_id: referrer, code: by, already_attributed };
          };
          const owner = code === null ? referrer_id! : ownerOf(code);
          const before = referrerOf(user);
          const takes = code === null && new_code !== null && !owned.some(({ owner_id }) => owner_id === owner);
          if (owner === user) refused('self');
          else if (code !== null && !isKnown(code)) refused('unknown_code');
          else if (before !== undefined) marked(before, code, true);
          else if (owner === undefined) {
            visit(user, code!, at, ord);
            marked(null, code, false);
          } else if (takes && isKnown(new_code)) refused('code_taken');
          else {
            if (takes) owned.push({ code: new_code, owner_id: owner, listed: false, date_create: at, ord });
            const by = takes ? new_code : code;
            referrals.push({ user_id: user, referrer_id: owner, code: by, date: at, ord });
            marked(owner, by, false);
          }
        }
      }
    }

  const nobody = [...new Set(named)].filter((code) => ownerOf(code) === undefined);
  const waiting = visits
    .sort((a, b) => a.date - b.date || a.ord - b.ord)
    .filter(({ code }) => nobody.includes(code))
    .filter((each, i, all) => all.findIndex((one) => one.code === each.code && one.user_id === each.user_id) === i);
  const free = nobody.map((code) => ({ code, owner_id: null, listed: false, date_create: null, ord: null }));
  return { known: [...new Set(known)], codes: [...owned, ...free], visits: waiting, referrals, outcomes };
}
