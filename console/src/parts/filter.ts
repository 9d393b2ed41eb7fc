import type { Value } from '../api.ts';

/** Conditions that must hold, all or any of them; groups nest. */
export interface Group {
  readonly join: 'and' | 'or';
  readonly items: readonly (Condition | Group)[];
}

export interface Condition {
  readonly field: string;
  readonly operator: string;
  readonly value: Value | readonly Value[];
}

export const isGroup = (item: Condition | Group): item is Group => 'join' in item;

export const NO_FILTER: Group = { join: 'and', items: [] };

/** Whether the operator takes two values, as `between` and `not between` do. */
export const isRange = (operator: string): boolean => /\bbetween$/.test(operator);
/** Whether the operator takes a list of values, as `in` and `not in` do. */
export const isList = (operator: string): boolean => /\bin$/.test(operator);

/** A filter as the API nests it; null: none. A single condition stands without a group. */
export function filterOf(group: Group): readonly unknown[] | null {
  const parts = group.items.flatMap((item) => {
    const part = isGroup(item) ? filterOf(item) : conditionOf(item);
    return part === null ? [] : [part];
  });
  if (parts.length <= 1) return parts[0] ?? null;
  return [group.join, ...parts];
}

/** Whether a condition has all its values. A new one begins without. */
export function isComplete({ field, operator, value }: Condition): boolean {
  if (field.endsWith('.')) return false;
  if (operator === 'is') return true;
  return Array.isArray(value) ? value.length > 0 && value.every((part) => part !== '') : value !== '';
}

/** Whether every condition of a group has its values. */
export const isWhole = ({ items }: Group): boolean =>
  items.every((item) => (isGroup(item) ? isWhole(item) : isComplete(item)));

/** The conditions of a group that have all their values. */
export function completeOf({ join, items }: Group): Group {
  const complete = items.flatMap((item): (Condition | Group)[] => {
    if (!isGroup(item)) return isComplete(item) ? [item] : [];
    const inner = completeOf(item);
    return inner.items.length === 0 ? [] : [inner];
  });
  return { join, items: complete };
}

function conditionOf({ field, operator, value }: Condition): readonly unknown[] {
  return isRange(operator) ? [operator, field, ...(value as readonly unknown[])] : [operator, field, value];
}

/** A filter of the API with each group of one condition as that condition: it means the same, and is how editors write it. */
export function withoutSingles(filters: unknown): unknown {
  if (!Array.isArray(filters)) return filters;
  const [operator, ...rest] = filters as readonly unknown[];
  if (operator !== 'and' && operator !== 'or') return filters;
  return rest.length === 1 ? withoutSingles(rest[0]) : [operator, ...rest.map(withoutSingles)];
}

/** The group of a filter of the API. A filter with `not` around it has no group: it reads as a condition on no field. */
export function groupFrom(filters: unknown): Group {
  if (!Array.isArray(filters) || filters.length === 0) return NO_FILTER;
  const [operator, ...rest] = filters as [string, ...unknown[]];
  if (operator === 'and' || operator === 'or') return { join: operator, items: rest.map(itemFrom) };
  return { join: 'and', items: [itemFrom(filters)] };
}

function itemFrom(filter: unknown): Condition | Group {
  const [operator, field, ...values] = filter as [string, string, ...Condition['value'][]];
  if (operator === 'and' || operator === 'or') return groupFrom(filter);
  return { operator, field, value: isRange(operator) ? (values as Condition['value']) : values[0]! };
}
