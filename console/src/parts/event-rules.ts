import { filterOf, type Group, groupFrom, isWhole } from './filter.ts';

/** Events that users have or have not. */
export interface EventRules {
  readonly join: 'and' | 'or';
  readonly items: readonly EventRule[];
}

export interface EventRule {
  /** Null: any event. */
  readonly event: number | null;
  readonly negation: boolean;
  /** Days back from the launch; 0: ever. */
  readonly days: number;
  readonly filter: Group;
}

export const NO_RULES: EventRules = { join: 'and', items: [] };

/** Whether every condition on the events has its values. */
export const areWhole = ({ items }: EventRules): boolean => items.every(({ filter }) => isWhole(filter));

/** The rules as the API nests them; null: none. */
export function rulesOf({ join, items }: EventRules): readonly unknown[] | null {
  const parts = items.map(({ event, negation, days, filter }) => {
    const conditions = filterOf(filter);
    return [
      'performed_event',
      {
        ...(event === null ? {} : { event_id: event }),
        negation,
        period_days: days,
        ...(conditions === null ? {} : { conditions }),
      },
    ];
  });
  return parts.length <= 1 ? (parts[0] ?? null) : [join, ...parts];
}

/** The rules of the API. Null: the editor cannot show them. */
export function rulesFrom(filters: unknown): EventRules | null {
  if (!Array.isArray(filters) || filters.length === 0) return NO_RULES;
  const [name, ...rest] = filters as [string, ...unknown[]];
  if (name === 'performed_event') return { join: 'and', items: [ruleFrom(rest[0])] };
  const leaves = rest as readonly (readonly unknown[])[];
  if ((name !== 'and' && name !== 'or') || leaves.some(([leaf]) => leaf !== 'performed_event')) return null;
  return { join: name, items: leaves.map(([, leaf]) => ruleFrom(leaf)) };
}

function ruleFrom(leaf: unknown): EventRule {
  const given = leaf as Readonly<Record<string, unknown>>;
  return {
    event: (given['event_id'] ?? null) as number | null,
    negation: given['negation'] === true,
    days: Number(given['period_days'] ?? 0),
    filter: groupFrom(given['conditions']),
  };
}
