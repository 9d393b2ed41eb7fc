import { DAY_MS, DAYS, type Person, person } from './person.ts';
import { type Random, random } from './random.ts';
import { createScript, type Item, type Script } from './script.ts';

/** The behaviour of a bot's users in the last 60 days, with typical habits of people. */

/** Weight of each day of the week, from Sunday: people visit a shop when they are free. */
const WEEKDAYS = [1.15, 0.8, 0.78, 0.8, 0.9, 1.15, 1.3];
/** Weight of each hour of the day, UTC. */
const HOURS = [2, 1, 1, 1, 1, 2, 4, 6, 8, 8, 7, 7, 9, 9, 8, 7, 7, 8, 10, 12, 13, 12, 8, 4];
const HOUR_MS = 3_600_000;

export interface History {
  /** The number of users with at least one item. */
  readonly users: number;
  /** By date, ascending. */
  readonly items: readonly Item[];
}

/**
 * A history of at least `size` items. The same seed and moment give the same history, and a larger history contains a
 * smaller one.
 * @param now ms UTC: no item is later
 */
export function history(seed: number, size: number, now: number): History {
  const items: Item[] = [];
  const from = now - (now % DAY_MS) - (DAYS - 1) * DAY_MS;
  let users = 0;
  for (let index = 0; items.length < size; index++) {
    const chance = random(seed * 1_000_003 + index);
    const who = person(index, chance);
    const script = createScript(who, seed, chance);
    live(who, from, chance, script);
    const happened = script.items().filter(({ at }) => at < now);
    items.push(...happened);
    if (happened.length > 0) users += 1;
  }
  return { users, items: items.sort((a, b) => a.at - b.at) };
}

/** Decides for each day whether the user visits, and the user's actions. */
function live(who: Person, from: number, chance: Random, script: Script): void {
  let blockedUntil = 0;
  for (let day = who.joined; day < DAYS; day++) {
    const midnight = from + day * DAY_MS;
    const age = day - who.joined;
    const comes =
      age === 0 || chance.chance(0.55 * who.loyalty * age ** -0.55 * WEEKDAYS[new Date(midnight).getUTCDay()]!);
    if (!comes || day < blockedUntil) continue;
    const hour = chance.weighted(HOURS.map((weight, value) => ({ weight, value }))).value;
    script.at(midnight + hour * HOUR_MS + chance.between(0, HOUR_MS - 1));
    if (blockedUntil > 0) script.unblock();
    blockedUntil = 0;
    visit(age === 0, who, chance, script);
    if (chance.chance(age === 0 ? 0.08 : 0.03)) {
      script.wait(60, 7200);
      script.block();
      blockedUntil = chance.chance(0.2) ? day + chance.between(2, 12) : Number.POSITIVE_INFINITY;
    }
  }
}

function visit(first: boolean, who: Person, chance: Random, script: Script): void {
  if (first) script.command(who.payload === null ? '/start' : `/start ${who.payload}`);
  else if (chance.chance(0.6)) script.command(chance.pick(['/menu', '/catalog', '/help', '/orders']));
  else script.message();
  if (first && chance.chance(0.8)) script.event('onboarding_done');
  for (let more = chance.between(0, 2); more > 0; more--) {
    if (chance.chance(0.7))
      script.callback(chance.pick(['menu:shop', 'menu:game', 'lang:en', 'faq:delivery', 'news:on']));
    else script.message();
  }
  if (chance.chance(0.3)) play(chance, script);
  if (chance.chance(0.55)) shop(chance, script);
}

function play(chance: Random, script: Script): void {
  for (let level = 1, most = chance.between(1, 5); level <= most; level++) {
    const score = chance.between(50, 1000) * level;
    script.event('level_finished', { webapp_name: 'game', category: `level ${level}`, value_num: score });
  }
  if (chance.chance(0.3)) script.webAppData();
}

const SHELVES = [
  { weight: 5, category: 'books', items: ['atlas', 'novel', 'cookbook'], least: 8, most: 40 },
  { weight: 3, category: 'games', items: ['chess', 'puzzle', 'cards'], least: 10, most: 60 },
  { weight: 2, category: 'music', items: ['vinyl', 'headphones'], least: 15, most: 120 },
  { weight: 1, category: 'tools', items: ['drill', 'lamp'], least: 20, most: 200 },
];

/**
 * Each step has fewer users; times and prices are random. Amounts with a unit are in cents, except amounts of goals.
 */
function shop(chance: Random, script: Script): void {
  const { category, items, least, most } = chance.weighted(SHELVES);
  const cents = chance.between(least, most) * 100 - 1;
  const about = { webapp_name: 'shop', category };
  script.event('catalog_opened', about);
  if (!chance.chance(0.8)) return;
  for (let views = chance.between(1, 3); views > 0; views--)
    script.event('item_viewed', { ...about, value_str: chance.pick(items) });
  if (!chance.chance(0.5)) return;
  script.event('cart_filled', { ...about, value_num: cents, unit: 'USD' });
  if (!chance.chance(0.6)) return;
  script.event('checkout_started', { ...about, value_num: cents, unit: 'USD' });
  if (!chance.chance(0.65)) return;
  script.payment(cents);
  // By the price, so that the history depends only on its seed.
  const properties = { delivery: cents < 2000 ? 'letter' : 'parcel', pieces: 1 + (cents % 3), gift: cents % 7 === 0 };
  script.event('order_paid', { ...about, value_num: cents, unit: 'USD', properties });
  if (chance.chance(0.7)) script.sale(cents);
}
