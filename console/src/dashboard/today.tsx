import type { Value } from '../api.ts';
import { clock, localOf, money, number, perCent } from '../format.ts';
import { useLoad } from '../parts/load.ts';
import { type Bot, currency } from '../session.ts';
import type { Figure } from './figures.ts';
import { loadFigures } from './load-figures.ts';
import { words } from './words.ts';

interface TodayProps {
  readonly bot: Bot;
  /** The usual figures: active and new users, events, perhaps sales and revenue. */
  readonly figures: readonly Figure[];
}

/** A sentence about today, up to what has been counted. */
export function Today({ bot, figures }: TodayProps) {
  const { loaded } = useLoad(() => (signal) => loadFigures(bot, figures, 'today', signal), { poll: () => 'still' });
  const { data } = loaded.value;
  // The figures below say why there is none.
  if (data === undefined) return <p class="hello" />;
  const parts = data.figures.map(({ figure, value }) => partOf(figure, value));
  const time = clock(localOf(data.now.toISOString()), false);
  const last = data.figures.findLast(({ figure }) => figure.isMoney) ?? data.figures[0]!;
  const [now, then] = [Number(last.value ?? 0), Number(last.before ?? 0)];
  const change = (now - then) / then;
  return (
    <p class="hello">
      <b>{words.today}</b> {parts.join(', ')}.{' '}
      {then > 0 && now !== then && words.than(last.figure.name, perCent(Math.abs(change)), change > 0, time)}
    </p>
  );
}

function partOf({ id, name, isMoney }: Figure, value: Value): string {
  const given = value === null || typeof value === 'boolean' ? 0 : value;
  if (isMoney) return money(given, currency());
  const said = (words.todays as Readonly<Record<string, (count: string) => string>>)[id];
  return said === undefined ? `${name}: ${number(given)}` : said(number(given));
}
