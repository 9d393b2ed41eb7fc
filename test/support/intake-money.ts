import Big from 'big.js';
import type { ReadCommit } from '../../src/projections/read-model.ts';

/** Rates and the owners' currencies of a log, and the amounts of events by them: for intake-fold.ts. */

export interface Money {
  readonly rates: { from: string; to: string; day: string; rate: string; at: number }[];
  readonly currencies: Map<number, { currency: string; at: number }[]>;
}

export function moneyOf(commits: readonly ReadCommit[]): Money {
  const money: Money = { rates: [], currencies: new Map() };
  for (const { events, at, stream } of commits)
    for (const event of events) {
      if (event.type === 'exchange_rate_set') {
        const { from, to, rate, date: day } = event.data;
        money.rates.push({ from, to, day, rate, at });
      }
      if ((event.type !== 'owner_created' && event.type !== 'owner_changed') || event.data.currency === undefined)
        continue;
      const owner = Number(stream.slice('owner-'.length));
      const had = money.currencies.get(owner) ?? [];
      if (had.at(-1)?.currency === event.data.currency) continue;
      const since = had.length === 0 ? 0 : Math.max(at, had.at(-1)!.at);
      money.currencies.set(owner, [...had, { currency: event.data.currency, at: since }]);
    }
  return money;
}

/** The fields of an event that its amount depends on. */
interface Priced {
  readonly owner_id: number;
  readonly received: number;
  readonly date: number;
  /** Only with a value. */
  readonly unit: string | undefined;
  readonly normal: Big | null;
  /** Since when the unit is known; null: unknown. */
  readonly known: number | null;
}

export function amountOf(
  { owner_id, received, date, unit, normal, known }: Priced,
  { rates, currencies }: Money,
): { amount: string | null; warning: { date: number; resolved_at: number | null; message: string } | null } {
  if (unit === undefined) return { amount: normal === null ? null : round(normal), warning: null };
  const had = currencies.get(owner_id);
  if (had === undefined) return { amount: null, warning: null };
  const day = new Date(date).toISOString().slice(0, 10);
  const usable = rates.filter((rate) => rate.from === unit && rate.day <= day);
  const rateAt = (moment: number): string | null => {
    const { currency } = had.filter(({ at }) => at <= moment).at(-1)!;
    if (currency === unit) return '1';
    const candidates = usable.filter(({ to, at }) => to === currency && at <= moment);
    return (
      candidates.reduce<(typeof candidates)[0] | null>((a, b) => (a === null || b.day >= a.day ? b : a), null)?.rate ??
      null
    );
  };
  const moments = [received, known ?? 0, ...usable.map(({ at }) => at), ...had.map(({ at }) => at)]
    .filter((moment) => moment >= received)
    .sort((a, b) => a - b);
  const convertible = moments.map((moment) => known !== null && known <= moment && rateAt(moment) !== null);
  const now = rateAt(moments.at(-1)!);
  const amount = normal === null || now === null ? null : round(normal.times(now));
  const opened = moments[convertible.indexOf(false)];
  if (opened === undefined) return { amount, warning: null };
  const resolved = moments[convertible.lastIndexOf(false) + 1] ?? null;
  const message =
    known === null || (resolved !== null && known >= resolved)
      ? `Unit ${unit} is neither a unit of the bot nor a currency`
      : `No exchange rate for ${unit} on ${day}`;
  return { amount, warning: { date: opened, resolved_at: resolved, message } };
}

function round(value: Big): string {
  const scaled = value.times(1_000_000).abs().plus('0.5').round(0, Big.roundDown);
  return (value.lt(0) ? scaled.times(-1) : scaled).div(1_000_000).toFixed();
}
