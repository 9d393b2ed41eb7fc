import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportedUser, UpdateItem } from '../../../src/domain/intake/intake-events.ts';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import {
  applyImport,
  applyUpdate,
  applyVisit,
  newProfile,
  type Profile,
} from '../../../src/projections/users/profile.ts';
import { importedUser, updateItem } from '../../support/intake-logs.ts';

const update: UpdateItem = { update_id: 1, user_id: 1, makes_user: true, is_bot: false, is_premium: false };

/** A change of a user, with its time: an update's date, an import's receipt. */
type Happening = { readonly time: number } & ({ readonly update: UpdateItem } | { readonly user: ImportedUser });

function profileOf(happenings: readonly Happening[]): Profile {
  const profile = newProfile(happenings[0]!.time);
  for (const happening of happenings)
    if ('update' in happening) applyUpdate(profile, happening.update, happening.time);
    else applyImport(profile, happening.user, happening.time);
  return profile;
}

/** The value of the latest change that has the field; of one time the later in the log. */
function latest<T>(happenings: readonly Happening[], say: (happening: Happening) => T | undefined) {
  let found: { readonly value: T; readonly time: number; readonly index: number } | null = null;
  for (const [index, happening] of happenings.entries()) {
    const value = say(happening);
    if (value !== undefined && (found === null || happening.time >= found.time))
      found = { value, time: happening.time, index };
  }
  return found;
}

describe('a user', () => {
  it('has the latest value of every field', () => {
    const time = fc.integer({ min: 0, max: 12 });
    const happening: fc.Arbitrary<Happening> = fc.oneof(
      fc.record({ time, update: updateItem }),
      fc.record({ time, user: importedUser }),
    );
    fc.assert(
      fc.property(fc.array(happening, { minLength: 1, maxLength: 8 }), (drawn) => {
        // Imports come in the order of their receipts, updates in any.
        const imports = drawn.filter((one) => 'user' in one).sort((a, b) => a.time - b.time);
        const happenings = drawn.map((one) => ('user' in one ? imports.shift()! : one));
        const profile = profileOf(happenings);

        const named = (name: 'first_name' | 'last_name' | 'username') =>
          latest(happenings, (h) => ('update' in h ? (h.update.person?.[name] ?? null) : h.user.person?.[name]));
        const first = named('first_name');
        const last = named('last_name');
        const full = latest(happenings, (h) => ('user' in h ? h.user.person?.full_name : undefined));
        const isLater = (name: typeof first) =>
          full === null ||
          (name !== null && (name.time > full.time || (name.time === full.time && name.index > full.index)));
        const joined = [first?.value, last?.value].filter((name) => typeof name === 'string').join(' ') || null;
        const status = latest(happenings, (h) => {
          if ('user' in h) return h.user.user_status;
          const { chat_type, makes_user, event_id } = h.update;
          const isElsewhere = event_id === SYSTEM_EVENTS.callback || event_id === SYSTEM_EVENTS.refund;
          if (chat_type !== 'private' || !makes_user || isElsewhere) return undefined;
          return event_id === SYSTEM_EVENTS.block ? 'blocked' : 'active';
        });
        const created = latest(happenings, (h) => ('user' in h ? h.user.date_create : undefined));
        const active = latest(happenings, (h) => ('user' in h ? h.user.date_last_active : undefined));
        const updates = happenings.filter((h) => 'update' in h);
        const seen = updates.filter(
          ({ time }, i) =>
            active === null ||
            time > active.time ||
            (time === active.time && happenings.indexOf(updates[i]!) > active.index),
        );
        const dates = [...(active === null ? [] : [active.value]), ...seen.map(({ time }) => time)];

        expect(profile).toMatchObject({
          first_name: first?.value ?? null,
          last_name: last?.value ?? null,
          full_name: isLater(first) || isLater(last) ? joined : full!.value,
          username: named('username')?.value ?? null,
          user_status: status?.value ?? 'active',
          date_create: created?.value ?? Math.min(happenings[0]!.time, ...updates.map(({ time }) => time)),
          date_last_active: dates.length === 0 ? null : Math.max(...dates),
        });
      }),
      { numRuns: 5000 },
    );
  });

  it('has the names of the latest update by date, not by arrival', () => {
    const profile = profileOf([
      { time: 20, update: { ...update, is_premium: true, person: { first_name: 'New', username: 'new' } } },
      { time: 10, update: { ...update, person: { first_name: 'Old', last_name: 'Name', username: 'old' } } },
    ]);
    expect(profile).toMatchObject({
      first_name: 'New',
      last_name: null,
      full_name: 'New',
      username: 'new',
      is_premium: true,
    });
    expect(profile).toMatchObject({ date_create: 10, date_last_active: 20 });
  });

  const written: UpdateItem = { ...update, chat_type: 'private' };
  const block = { time: 20, update: { ...written, event_id: SYSTEM_EVENTS.block } };

  it('is blocked until a later update of the private chat', () => {
    expect(profileOf([block, { time: 10, update: written }]).user_status).toBe('blocked');
    expect(profileOf([block, { time: 30, update: written }]).user_status).toBe('active');
    expect(profileOf([{ time: 30, update: written }, block]).user_status).toBe('active');
  });

  it.each<[string, UpdateItem]>([
    [
      'a message in a group',
      { ...update, makes_user: false, chat_type: 'supergroup', event_id: SYSTEM_EVENTS.message },
    ],
    ['an inline query', { ...update, makes_user: false }],
    ['a reaction', { ...update, makes_user: false, chat_type: 'private' }],
    ['a callback', { ...written, event_id: SYSTEM_EVENTS.callback }],
    ['a payment in a group', { ...update, chat_type: 'supergroup', event_id: SYSTEM_EVENTS.payment }],
  ])('stays blocked by %s, and was seen then', (_, seen) => {
    const profile = profileOf([block, { time: 30, update: seen }]);
    expect(profile).toMatchObject({ user_status: 'blocked', date_last_active: 30 });
    expect(profileOf([block, { time: 30, update: seen }, { time: 25, update: written }]).user_status).toBe('active');
  });

  it('keeps the fields that an import does not give', () => {
    const profile = profileOf([
      { time: 10, update: { ...update, person: { first_name: 'Ada', username: 'ada' } } },
      { time: 20, user: { user_id: 1, person: { last_name: 'L' }, gender: 'f', date_create: 5 } },
    ]);
    expect(profile).toMatchObject({
      first_name: 'Ada',
      full_name: 'Ada L',
      username: 'ada',
      gender: 'f',
      date_create: 5,
    });
  });

  it('has the fields of its first visit', () => {
    const utm = { source: 'ads', medium: null, campaign: 'may', term: null, content: null };
    const none = { source: null, medium: null, campaign: null, term: null, content: null };
    const profile = newProfile(0);
    applyVisit(profile, 20, 'later', { ...none, source: 'later' });
    applyVisit(profile, 10, 'source-ads_campaign-may', utm);
    applyVisit(profile, 10, 'same-time', { ...none, term: 't' });
    expect(profile.addition_fields).toEqual({
      start_param: 'source-ads_campaign-may',
      utm_source: 'ads',
      utm_campaign: 'may',
    });
  });
});
