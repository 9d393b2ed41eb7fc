import type { ImportedUser, UpdateItem } from '../../domain/intake/intake-events.ts';
import { SYSTEM_EVENTS } from '../../domain/intake/system-events.ts';
import type { Utm } from '../../domain/intake/utm.ts';

/** The fields that every update sets, all of them: if it lacks a name, the user has none. */
const PROFILE = [
  'first_name',
  'last_name',
  'username',
  'language_code',
  'is_premium',
  'is_bot',
  'user_status',
] as const;
type ProfileField = (typeof PROFILE)[number];

/** A user of a bot. Times are ms UTC. */
export interface Profile {
  first_name: string | null;
  last_name: string | null;
  full_name: string | null;
  username: string | null;
  language_code: string | null;
  is_premium: boolean | null;
  is_bot: boolean | null;
  gender: string | null;
  timezone: string | null;
  user_status: 'active' | 'blocked' | 'deactivated';
  date_create: number;
  date_last_active: number | null;
  addition_fields: Record<string, string>;
  visit_date: number | null;
  profile_date: number | null;
  status_date: number | null;
  import_date: number | null;
  imported: Stamps | null;
}

/** Receipts of imports by the fields that they set. Updates of an earlier date do not change these fields. */
type Stamps = Partial<Record<ProfileField | 'full_name' | 'date_create' | 'date_last_active', number>>;

export function newProfile(date: number): Profile {
  return {
    first_name: null,
    last_name: null,
    full_name: null,
    username: null,
    language_code: null,
    is_premium: null,
    is_bot: null,
    gender: null,
    timezone: null,
    user_status: 'active',
    date_create: date,
    date_last_active: null,
    addition_fields: {},
    visit_date: null,
    profile_date: null,
    status_date: null,
    import_date: null,
    imported: null,
  };
}

/** Applies an update. Of two updates the later by date counts; of the same date, the later in the log. */
export function applyUpdate(profile: Profile, item: UpdateItem, date: number): void {
  const { first_name = null, last_name = null, username = null, language_code = null } = item.person ?? {};
  const { is_premium, is_bot } = item;
  setFields(profile, { first_name, last_name, username, language_code, is_premium, is_bot }, date);
  profile.profile_date = Math.max(profile.profile_date ?? date, date);
  if (concernsPrivateChat(item)) {
    const user_status = item.event_id === SYSTEM_EVENTS.block ? 'blocked' : 'active';
    setFields(profile, { user_status }, date);
    profile.status_date = Math.max(profile.status_date ?? date, date);
  }

  if (profile.imported?.date_create === undefined) profile.date_create = Math.min(profile.date_create, date);
  if (date >= (profile.imported?.date_last_active ?? date))
    profile.date_last_active = Math.max(profile.date_last_active ?? date, date);
}

/**
 * Whether the update says if the bot can write to the user: a message in the private chat or a `my_chat_member` of it. A
 * message in a group, an inline query, a reaction or a callback shows only that the user is there.
 */
function concernsPrivateChat({ chat_type, makes_user, event_id }: UpdateItem): boolean {
  if (event_id === SYSTEM_EVENTS.callback || event_id === SYSTEM_EVENTS.refund) return false;
  return chat_type === 'private' && makes_user;
}

/** Applies an imported event of the past: the user was there on its date. A date that an import of users has set stays. */
export function applyPastEvent(profile: Profile, date: number): void {
  if (profile.imported?.date_create === undefined) profile.date_create = Math.min(profile.date_create, date);
  if (profile.imported?.date_last_active === undefined)
    profile.date_last_active = Math.max(profile.date_last_active ?? date, date);
}

/** Applies an import received at `at`: its fields replace the old values, the other fields stay. */
export function applyImport(profile: Profile, user: ImportedUser, at: number): void {
  const stamps: Stamps = { ...profile.imported };
  // Of two imports the later in the log counts, whatever the clocks and whatever fields they have: an erased field must
  // leave no trace.
  const time = Math.max(at, profile.import_date ?? at);
  profile.import_date = time;
  const { full_name, ...person } = user.person ?? {};
  const { is_premium, is_bot, user_status, gender, timezone, date_create, date_last_active } = user;
  const set = setFields(profile, { ...person, is_premium, is_bot, user_status }, time);
  for (const field of set) stamps[field] = time;
  if (full_name !== undefined && time >= Math.max(stampOf(profile, 'first_name'), stampOf(profile, 'last_name'))) {
    profile.full_name = full_name;
    stamps.full_name = time;
  } else if (set.some(isName)) delete stamps.full_name;

  if (gender !== undefined) profile.gender = gender;
  if (timezone !== undefined) profile.timezone = timezone;
  if (date_create !== undefined) {
    profile.date_create = date_create;
    stamps.date_create = time;
  }
  if (date_last_active !== undefined) {
    const { profile_date } = profile;
    const seenSince = profile_date !== null && profile_date > time;
    profile.date_last_active = seenSince ? Math.max(profile_date, date_last_active) : date_last_active;
    stamps.date_last_active = time;
  }
  profile.imported = Object.keys(stamps).length === 0 ? null : stamps;
}

/**
 * The platform answered at `at` that the user is unreachable. Holds until a later message in the private chat. An update of the
 * same second is later, since the platform's dates have no milliseconds.
 */
export function applyUnreachable(profile: Profile, user_status: 'blocked' | 'deactivated', at: number): void {
  const time = at - (at % 1000);
  if (setFields(profile, { user_status }, time).length > 0)
    profile.imported = { ...profile.imported, user_status: time };
}

const ERASED = ['first_name', 'last_name', 'full_name', 'username', 'language_code', 'gender', 'timezone'] as const;

/**
 * Removes the personal fields, as if none had ever come. A rebuild makes the same profile, since it cannot open the sealed
 * fields any more.
 */
export function applyErasure(profile: Profile): void {
  const stamps: Partial<Record<string, number>> = { ...profile.imported };
  for (const field of ERASED) {
    profile[field] = null;
    delete stamps[field];
  }
  profile.imported = Object.keys(stamps).length === 0 ? null : stamps;
}

/** Sets the fields whose present value is not of a later time. @returns their names */
function setFields(
  profile: Profile,
  given: { [F in ProfileField]?: Profile[F] | undefined },
  time: number,
): ProfileField[] {
  const set: ProfileField[] = [];
  for (const field of PROFILE) if (time >= stampOf(profile, field) && copied(profile, given, field)) set.push(field);
  if (set.some(isName) && time >= (profile.imported?.full_name ?? time)) {
    // A full name of an import holds until a later name.
    if (profile.imported?.full_name !== undefined) profile.imported = withoutFullName(profile.imported);
    profile.full_name = [profile.first_name, profile.last_name].filter((name) => name !== null).join(' ') || null;
  }
  return set;
}

/** @returns whether `given` has the field */
function copied<F extends ProfileField>(profile: Profile, given: { [K in F]?: Profile[K] | undefined }, field: F) {
  const value = given[field];
  if (value === undefined) return false;
  profile[field] = value;
  return true;
}

function withoutFullName({ full_name: _, ...stamps }: Stamps): Stamps | null {
  return Object.keys(stamps).length === 0 ? null : stamps;
}

function isName(field: ProfileField): boolean {
  return field === 'first_name' || field === 'last_name';
}

/** The time of a field's value. */
function stampOf({ profile_date, status_date, imported }: Profile, field: ProfileField): number {
  const seen = field === 'user_status' ? status_date : profile_date;
  return Math.max(seen ?? Number.NEGATIVE_INFINITY, imported?.[field] ?? Number.NEGATIVE_INFINITY);
}

/** Applies a visit. Of two visits the earlier by date counts; of the same date, the earlier in the log. */
export function applyVisit(profile: Profile, date: number, start_param: string, utm: Utm | null): void {
  if (profile.visit_date !== null && date >= profile.visit_date) return;
  profile.visit_date = date;
  const {
    start_param: _,
    utm_source,
    utm_medium,
    utm_campaign,
    utm_term,
    utm_content,
    ...rest
  } = profile.addition_fields;
  profile.addition_fields = { ...rest, start_param };
  for (const [name, value] of Object.entries(utm ?? {}))
    if (value !== null) profile.addition_fields[`utm_${name}`] = value;
}
