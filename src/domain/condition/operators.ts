import type { FieldType } from './condition.ts';

/** The operators of the grammar, in the order in which they are listed to callers. */
export const GROUP_OPERATORS = ['and', 'or'] as const;
export const COMPARISONS = ['=', '!=', '>', '<', '>=', '<='] as const;
export type GroupOperator = (typeof GROUP_OPERATORS)[number];
export type Comparison = (typeof COMPARISONS)[number];
export type FieldOperator = Comparison | 'in' | 'between';

export const FIELD_OPERATORS: readonly FieldOperator[] = [...COMPARISONS, 'in', 'between'];
export const OPERATORS: readonly string[] = [...GROUP_OPERATORS, ...FIELD_OPERATORS];

/** Which operators make sense for a type: booleans have no order. */
export function operatorsOf(type: FieldType): readonly FieldOperator[] {
  return type === 'boolean' ? ['=', '!=', 'in'] : FIELD_OPERATORS;
}

export function isGroupOperator(operator: string): operator is GroupOperator {
  return (GROUP_OPERATORS as readonly string[]).includes(operator);
}

export function isFieldOperator(operator: string): operator is FieldOperator {
  return (FIELD_OPERATORS as readonly string[]).includes(operator);
}
