import { type EventRules, rulesFrom, rulesOf } from '../parts/event-rules.ts';
import { filterOf, type Group, groupFrom, withoutSingles } from '../parts/filter.ts';
import { isWithin } from '../parts/within.ts';

/** A saved segment as the service has it. */
export interface SavedSegment {
  readonly saved_segment_id: number;
  readonly name: string;
  readonly conditions: Conditions;
  readonly date_create: string;
  readonly date_change: string;
}

export interface Conditions {
  readonly user_conditions?: readonly unknown[] | null;
  readonly event_filters?: readonly unknown[] | null;
}

/** The conditions on people as the form edits them; null: it cannot show them, such as `not`. */
export function peopleOf({ user_conditions }: Conditions): Group | null {
  const group = groupFrom(user_conditions);
  return isEmpty(user_conditions) || isWithin(withoutSingles(user_conditions), filterOf(group)) ? group : null;
}

/** The conditions on events as the form edits them; null: it cannot show them, such as groups in groups. */
export function eventsOf({ event_filters }: Conditions): EventRules | null {
  const rules = rulesFrom(event_filters);
  return rules !== null && (isEmpty(event_filters) || isWithin(withoutSingles(event_filters), rulesOf(rules)))
    ? rules
    : null;
}

/**
 * The conditions that are saved.
 * @param people null: those of `kept`, which the form cannot show
 * @param events likewise
 */
export function conditionsOf(people: Group | null, events: EventRules | null, kept: Conditions): Conditions {
  const user_conditions = people === null ? kept.user_conditions : filterOf(people);
  const event_filters = events === null ? kept.event_filters : rulesOf(events);
  return {
    ...(isEmpty(user_conditions) ? {} : { user_conditions }),
    ...(isEmpty(event_filters) ? {} : { event_filters }),
  };
}

const isEmpty = (list: readonly unknown[] | null | undefined): boolean => list == null || list.length === 0;

export const hasConditions = ({ user_conditions, event_filters }: Conditions): boolean =>
  !isEmpty(user_conditions) || !isEmpty(event_filters);

/** How many conditions a filter has; groups do not count. */
export function countConditions(filter: readonly unknown[] | null | undefined): number {
  if (isEmpty(filter)) return 0;
  const [operator, ...rest] = filter as readonly [string, ...(readonly unknown[])[]];
  if (operator !== 'and' && operator !== 'or') return 1;
  return rest.reduce((sum, each) => sum + countConditions(each), 0);
}
