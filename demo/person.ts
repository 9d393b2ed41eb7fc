import type { Random } from './random.ts';

/** The length of the demo's history. */
export const DAYS = 60;
export const DAY_MS = 86_400_000;
const FIRST_USER = 700_000_001;

/** A user of the demo bot, as the messaging platform describes it. */
export interface Person {
  readonly index: number;
  readonly from: {
    readonly id: number;
    readonly is_bot: false;
    readonly first_name: string;
    readonly last_name?: string;
    readonly username?: string;
    readonly language_code: string;
    readonly is_premium?: true;
  };
  /** Days after the first day of the history. */
  readonly joined: number;
  /** The start payload of the link that brought the user. */
  readonly payload: string | null;
  /** The probability that the user comes back, 0 to 1. */
  readonly loyalty: number;
}

/** The codes of the first users. Each code brings other users. */
export const CODES = ['InviteAda', 'InviteBo', 'InviteCleo', 'InviteDan', 'InviteEva', 'InviteFinn'];

export function codeOwners(): readonly { readonly code: string; readonly user_id: number }[] {
  return CODES.map((code, index) => ({ code, user_id: FIRST_USER + index }));
}

/** Origins of users: how many come by each in which days, and how many of those stay. */
const ORIGINS = [
  { weight: 28, payload: null, loyalty: 0.7, from: 0, to: DAYS },
  { weight: 22, payload: 'source-telegram_medium-ads_campaign-spring', loyalty: 0.4, from: 4, to: 32 },
  { weight: 24, payload: 'source-telegram_medium-ads_campaign-summer', loyalty: 0.5, from: 30, to: DAYS },
  { weight: 12, payload: 'source-google_medium-cpc_campaign-brand_term-botshop', loyalty: 0.6, from: 0, to: DAYS },
  { weight: 9, payload: 'source-blog_medium-post_campaign-launch_content-footer', loyalty: 0.75, from: 0, to: 20 },
  { weight: 8, payload: 'source-instagram_medium-story_campaign-summer', loyalty: 0.35, from: 25, to: DAYS },
  { weight: 5, payload: 'qr', loyalty: 0.8, from: 0, to: DAYS },
  ...CODES.map((payload) => ({ weight: 3, payload, loyalty: 0.9, from: 2, to: DAYS })),
];
const FIRST_NAMES = [
  'Ada',
  'Bo',
  'Cleo',
  'Dan',
  'Eva',
  'Finn',
  'Grace',
  'Hugo',
  'Inès',
  'Jürgen',
  'Kei',
  'Łucja',
  'Μαρία',
];
const LAST_NAMES = ['Adler', 'Brook', 'Costa', 'Dubois', 'Engel', 'Fischer', 'García', 'Haas', 'Ito', 'Jensen'];
const LANGUAGES = [
  { weight: 45, code: 'en' },
  { weight: 20, code: 'de' },
  { weight: 15, code: 'es' },
  { weight: 12, code: 'pt-br' },
  { weight: 8, code: 'ja' },
];

/** The user with this index, from 0. It depends on the seed only, not on the number of users. */
export function person(index: number, chance: Random): Person {
  const ambassador = index < CODES.length;
  const joined = ambassador ? 0 : chance.between(0, DAYS - 1);
  const origin = chance.weighted(ORIGINS.filter(({ from, to }) => from <= joined && joined < to));
  const first_name = ambassador ? CODES[index]!.slice('Invite'.length) : chance.pick(FIRST_NAMES);
  return {
    index,
    joined,
    payload: ambassador ? null : origin.payload,
    loyalty: ambassador ? 1 : origin.loyalty,
    from: {
      id: FIRST_USER + index,
      is_bot: false,
      first_name,
      ...(chance.chance(0.7) && { last_name: chance.pick(LAST_NAMES) }),
      ...(chance.chance(0.8) && { username: `demo_user_${index}` }),
      language_code: chance.weighted(LANGUAGES).code,
      ...(chance.chance(0.15) && { is_premium: true as const }),
    },
  };
}
