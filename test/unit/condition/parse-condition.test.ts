import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../src/domain/condition/condition.ts';
import { parseCondition } from '../../../src/domain/condition/parse-condition.ts';
import type { Problem } from '../../../src/domain/problem.ts';
import { type ReportField, reportFields } from '../../../src/domain/reports/fields.ts';

function parse(input: unknown, timezone = 'UTC'): { filter: Condition<ReportField> | null; problems: Problem[] } {
  const problems: Problem[] = [];
  const filter = parseCondition(input, { catalogue: reportFields, timezone, path: 'filters', problems });
  return { filter, problems };
}

/** The problem of an input that has exactly one. */
function problemOf(input: unknown): Problem {
  const { problems } = parse(input);
  expect(problems).toHaveLength(1);
  return problems[0]!;
}

const category = ['=', 'events.category', 'a'];

describe('what is accepted', () => {
  it.each([null, undefined, []])('%j is no filter', (input) => {
    expect(parse(input)).toEqual({ filter: null, problems: [] });
  });

  it('!= is the complement of =', () => {
    const one_of = {
      type: 'one_of',
      field: reportFields.find('events.category'),
      values: [{ type: 'string', value: 'a' }],
    };
    expect(parse(category).filter).toEqual(one_of);
    expect(parse(['!=', 'events.category', 'a']).filter).toEqual({ type: 'not', condition: one_of });
  });

  it('nests and and or, with one condition or many', () => {
    const { filter, problems } = parse(['or', category, ['and', category]]);
    expect(problems).toEqual([]);
    expect(filter).toMatchObject({ type: 'or', conditions: [{ type: 'one_of' }, { type: 'and', conditions: [{}] }] });
  });

  it.each([
    [0.1, '0.1'],
    [new LosslessNumber('0.10000000000000000001'), '0.10000000000000000001'],
    [new LosslessNumber('1.5e3'), '1500'],
    [9007199254740991, '9007199254740991'],
    [-3, '-3'],
  ])('number %s keeps its digits', (input, value) => {
    expect(parse(['>', 'events.value_amount', input]).filter).toMatchObject({
      type: 'range',
      from: { value: { type: 'number', value }, inclusive: false },
      to: null,
    });
  });

  it('users. is an alias of user., and custom fields take values of any type', () => {
    expect(parse(['=', 'users.is_premium', true]).filter).toMatchObject({ field: { name: 'user.is_premium' } });
    for (const value of ['1', new LosslessNumber('1'), true])
      expect(parse(['=', 'user.custom_fields.level', value]).problems).toEqual([]);
  });

  it('nests 20 deep', () => {
    expect(parse(nested(20)).problems).toEqual([]);
  });

  it('accepts 10,000 values in a set', () => {
    expect(parse(['in', 'events.user_id', Array(10_000).fill(1)]).problems).toEqual([]);
  });

  it('accepts 1,000 conditions', () => {
    expect(parse(['and', ...Array(1000).fill(category)]).problems).toEqual([]);
  });
});

describe('dates', () => {
  const second = Date.UTC(2025, 2, 30, 10, 0, 0);
  const at = (value: number, inclusive: boolean) => ({ value: { type: 'date', value }, inclusive });
  const date = (...condition: [string, ...string[]]) => {
    const [operator, ...values] = condition;
    return parse([operator, 'events.date', ...values], 'Europe/Berlin').filter;
  };

  it.each([
    ['<', null, at(second, false)],
    ['<=', null, at(second + 1000, false)],
    ['>', at(second + 1000, true), null],
    ['>=', at(second, true), null],
  ])('%s knows which side the second is on', (operator, from, to) => {
    expect(date(operator, '2025-03-30 12:00:00')).toMatchObject({ from, to });
  });

  it('between includes the whole last second', () => {
    const filter = date('between', '2025-03-30 12:00:00', '2025-03-30 12:00:00');
    expect(filter).toMatchObject({ from: at(second, true), to: at(second + 1000, false) });
  });

  it('a time that the clock skips is moved forward by the gap', () => {
    const filter = date('>=', '2025-03-30 02:30:00');
    expect(filter).toMatchObject({ from: at(Date.UTC(2025, 2, 30, 1, 30), true) });
  });

  it('a time that the clock shows twice is two seconds, and ranges include as much as possible', () => {
    const [first, last] = [Date.UTC(2025, 9, 26, 0, 30), Date.UTC(2025, 9, 26, 1, 30)];
    const twice = '2025-10-26 02:30:00';
    expect(date('=', twice)).toMatchObject({ values: [{ value: first }, { value: last }] });
    expect(date('between', twice, twice)).toMatchObject({ from: at(first, true), to: at(last + 1000, false) });
  });
});

describe('what is refused', () => {
  it('a wrapped condition, at the outer array', () => {
    expect(problemOf([category])).toEqual({
      path: 'filters',
      message: 'expected a single condition, got a nested array',
    });
    expect(problemOf(['and', category, [category]]).path).toBe('filters.2');
  });

  it('a bare list of conditions', () => {
    const { path, message } = problemOf([category, category]);
    expect(path).toBe('filters');
    expect(message).toMatch(/^expected a single condition, got a nested array.*and or or/);
  });

  it.each<[string, unknown, string]>([
    ['not an array', { and: [] }, 'filters'],
    ['and of nothing', ['and'], 'filters'],
    ['an empty condition in a group', ['and', []], 'filters.1.0'],
    ['an operator in capitals', ['AND', category], 'filters.0'],
    ['an operator of audiences', ['like', 'events.category', 'a%'], 'filters.0'],
    ['an operator that is no string', [1, 'events.category', 'a'], 'filters.0'],
    ['an unknown field', ['=', 'events.nonsense', 'a'], 'filters.1'],
    ['a field without its table', ['=', 'category', 'a'], 'filters.1'],
    ['an open root without a key', ['=', 'events.properties.', 'a'], 'filters.1'],
    ['a property of Object.prototype', ['=', 'events.constructor', 'a'], 'filters.1'],
    ['a field that is no string', ['=', ['events.category'], 'a'], 'filters.1'],
    ['a missing field', ['='], 'filters.1'],
    ['a missing value', ['=', 'events.category'], 'filters.2'],
    ['a missing end', ['between', 'events.value_int', 1], 'filters.3'],
    ['one argument too many', ['=', 'events.category', 'a', 'b'], 'filters.3'],
    ['null', ['=', 'events.category', null], 'filters.2'],
    ['null among values', ['in', 'events.category', ['a', null]], 'filters.2.1'],
    ['a number field with text', ['>', 'events.value_int', '5'], 'filters.2'],
    ['a text field with a number', ['=', 'events.category', 5], 'filters.2'],
    ['a yes-or-no field with a number', ['=', 'user.is_bot', 1], 'filters.2'],
    ['an order of yes and no', ['>', 'user.is_bot', false], 'filters.0'],
    ['an order of yes and no in a custom field', ['<=', 'user.custom_fields.a', true], 'filters.2'],
    ['a custom field with an object', ['=', 'user.custom_fields.a', {}], 'filters.2'],
    ['ends of two types', ['between', 'user.custom_fields.a', 1, 'b'], 'filters.3'],
    ['values that are no array', ['in', 'events.category', 'a'], 'filters.2'],
    ['no values', ['in', 'events.category', []], 'filters.2'],
    ['10,001 values', ['in', 'events.user_id', Array(10_001).fill(1)], 'filters.2'],
    ['a number that is none', ['=', 'events.value_int', Number.NaN], 'filters.2'],
    ['an endless number', ['=', 'events.value_int', new LosslessNumber('1e1000000000')], 'filters.2'],
    ['too fine a number', ['=', 'events.value_int', new LosslessNumber('1e-31')], 'filters.2'],
    ['a day that no calendar has', ['=', 'events.date', '2025-02-29 00:00:00'], 'filters.2'],
    ['second 60', ['=', 'events.date', '2025-02-28 00:00:60'], 'filters.2'],
    ['hour 24', ['=', 'events.date', '2025-02-28 24:00:00'], 'filters.2'],
    ['a date in another layout', ['=', 'events.date', '2025-02-28T00:00:00Z'], 'filters.2'],
    ['a year that is out of bounds', ['<', 'events.date', '2101-01-01 00:00:00'], 'filters.2'],
    ['the 21st level', nested(21), `filters${'.1'.repeat(20)}`],
    ['the 1,001st condition', ['and', ...Array(1001).fill(category)], 'filters.1001'],
  ])('%s', (_, input, path) => {
    expect(problemOf(input).path).toBe(path);
  });

  it('all problems at once, with the accepted values', () => {
    const { problems } = parse([
      'and',
      ['~', 'events.category', 'a'],
      ['=', 'events.x', 1],
      ['in', 'events.date', ['x', 1]],
    ]);
    expect(problems.map(({ path }) => path)).toEqual(['filters.1.0', 'filters.2.1', 'filters.3.2.0', 'filters.3.2.1']);
    expect(problems[0]?.allowed).toEqual(['and', 'or', '=', '!=', '>', '<', '>=', '<=', 'in', 'between']);
    expect(problems[1]?.allowed).toContain('events.properties.*');
  });
});

/** A condition of the given depth; a flat one is 1. */
function nested(depth: number): unknown {
  return depth === 1 ? category : ['and', nested(depth - 1)];
}
