import type { FieldType } from './condition.ts';

/** The operators of the grammar, in the order of error messages and of the list of fields. */
const COMPARISONS = ['=', '!=', '>', '<', '>=', '<='] as const;
export type Comparison = (typeof COMPARISONS)[number];
/** The operators that compare fields in reports. */
type ReportOperator = Comparison | 'in' | 'between';
/** An operator without its `not `. */
export type FieldOperator = ReportOperator | 'like' | 'is';

const REPORT_OPERATORS: readonly ReportOperator[] = [...COMPARISONS, 'in', 'between'];
const AUDIENCE_OPERATORS: readonly string[] = [
  ...COMPARISONS,
  'like',
  'not like',
  'in',
  'not in',
  'between',
  'not between',
  'is',
];

/** Reports have the first eight forms of the grammar, audiences all (interface.md, "Filters" and "Audience"). */
export type Grammar = 'report' | 'audience';

const GRAMMARS: Readonly<Record<Grammar, { readonly groups: readonly string[]; readonly fields: readonly string[] }>> =
  {
    report: { groups: ['and', 'or'], fields: REPORT_OPERATORS },
    audience: { groups: ['and', 'or', 'not'], fields: AUDIENCE_OPERATORS },
  };

/** All operators of a grammar. */
export function operatorsIn(grammar: Grammar): readonly string[] {
  const { groups, fields } = GRAMMARS[grammar];
  return [...groups, ...fields];
}

/** The operators of reports for a type. Booleans have no order. */
export function operatorsOf(type: FieldType): readonly ReportOperator[] {
  return type === 'boolean' ? ['=', '!=', 'in'] : REPORT_OPERATORS;
}

/** The operators of a grammar for a type. Only text has patterns. */
export function operatorsFor(type: FieldType, grammar: Grammar): readonly string[] {
  if (grammar === 'report') return operatorsOf(type);
  const bases: readonly FieldOperator[] = [
    ...operatorsOf(type),
    'is',
    ...(type === 'string' || type === 'dynamic' ? (['like'] as const) : []),
  ];
  return AUDIENCE_OPERATORS.filter((operator) => bases.some((base) => base === withoutNot(operator)));
}

/** Splits an operator that compares a field into its base and its `not `. Undefined: the grammar has no such operator. */
export function fieldOperator(
  operator: string,
  grammar: Grammar,
): { readonly base: FieldOperator; readonly negated: boolean } | undefined {
  if (!GRAMMARS[grammar].fields.includes(operator)) return undefined;
  // All operators in the tables are one of these, with or without `not `.
  return { base: withoutNot(operator) as FieldOperator, negated: operator.startsWith(NOT) };
}

export function isGroupOperator(operator: string, grammar: Grammar): operator is 'and' | 'or' | 'not' {
  return GRAMMARS[grammar].groups.includes(operator);
}

const NOT = 'not ';

function withoutNot(operator: string): string {
  return operator.startsWith(NOT) ? operator.slice(NOT.length) : operator;
}
