import type { KnownEvent } from '../parts/catalog.ts';
import { nameOfEvent } from '../parts/event-words.ts';
import type { Metric } from '../reports/state.ts';
import { ACTIVE_USERS, EVENTS, MONEY, REVENUE, SALE, SALES } from './data.ts';
import { words } from './words.ts';

/** The quantities of an event that a figure may show. */
const MEASURES = ['total', 'people', 'revenue'] as const;
export type Measure = (typeof MEASURES)[number];

/** A figure of the dashboard. Its id is kept in the browser: `active`, `newUsers`, or `event:101:revenue`. */
export interface Figure {
  readonly id: string;
  readonly name: string;
  /** Absent: new users, which no report counts. */
  readonly metric?: Metric;
  /** An amount of the owner's currency. */
  readonly isMoney: boolean;
  /** More of it is worse. */
  readonly isBad: boolean;
}

const KEPT = 'figures';
export const MOST_FIGURES = 8;
/** The system event of a user who blocks the bot. */
const BLOCKED = 6;

const AGGREGATIONS = {
  total: { agr: 'total' },
  people: { agr: 'total_uniq_user_id' },
  revenue: { agr: 'property_sum', field: 'events.value_amount' },
} as const satisfies Readonly<Record<Measure, Partial<Metric>>>;

const FIXED: Readonly<Record<string, Metric | undefined>> = {
  active: ACTIVE_USERS.metrics[0]!,
  newUsers: undefined,
  events: EVENTS,
  sales: SALES,
  revenue: REVENUE,
};

/** The figure of an id; null: the bot has no such event. */
function figureOf(id: string, events: readonly KnownEvent[]): Figure | null {
  if (id in FIXED) {
    const metric = FIXED[id];
    const name = words.figures[id as keyof typeof words.figures];
    return { id, name, ...(metric === undefined ? {} : { metric }), isMoney: id === 'revenue', isBad: false };
  }
  const [, text = '', measure] = id.split(':');
  const event = events.find(({ event_id }) => String(event_id) === text);
  if (event === undefined || !MEASURES.includes(measure as Measure)) return null;
  const name = nameOfEvent(event);
  return {
    id,
    name: words.measured(name, measure as Measure),
    metric: { event: event.event_id, name: event.name, ...AGGREGATIONS[measure as Measure] },
    isMoney: measure === 'revenue',
    isBad: event.event_id === BLOCKED,
  };
}

/** The figures without a choice: sales and revenue only if the bot has had some. */
export function usualFigures(events: readonly KnownEvent[]): readonly Figure[] {
  const has = (ids: readonly number[]): boolean => events.some((each) => each.count > 0 && ids.includes(each.event_id));
  const ids = [
    ...['active', 'newUsers', 'events'],
    ...(has([SALE]) ? ['sales'] : []),
    ...(has(MONEY) ? ['revenue'] : []),
  ];
  return ids.flatMap((id) => figureOf(id, events) ?? []);
}

/** The figures that were chosen for a bot in this browser, else the usual ones. */
export function figuresOf(bot: string, events: readonly KnownEvent[]): readonly Figure[] {
  const chosen = keptIds(bot)?.flatMap((id) => figureOf(id, events) ?? []) ?? [];
  return chosen.length > 0 ? chosen : usualFigures(events);
}

/** All figures that can be chosen by a name: the fixed ones. Those of an event are made of the event and a measure. */
export const fixedFigures = (events: readonly KnownEvent[]): readonly Figure[] =>
  Object.keys(FIXED).flatMap((id) => figureOf(id, events) ?? []);

export const eventFigure = (event: number, measure: Measure): string => `event:${event}:${measure}`;

function keptIds(bot: string): readonly string[] | null {
  try {
    const kept: unknown = JSON.parse(window.localStorage.getItem(`${KEPT}:${bot}`) ?? 'null');
    return Array.isArray(kept) && kept.length > 0 ? kept.map(String).slice(0, MOST_FIGURES) : null;
  } catch {
    // Another program wrote something else there.
    return null;
  }
}

export function keepFigures(bot: string, ids: readonly string[]): void {
  window.localStorage.setItem(`${KEPT}:${bot}`, JSON.stringify(ids));
}
