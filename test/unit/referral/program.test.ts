import { describe, expect, it } from 'vitest';
import { SYSTEM_EVENTS } from '../../../src/domain/intake/system-events.ts';
import {
  type CreateRule,
  changeRule,
  createRule,
  type ProgramEvent,
  program,
  type RuleCatalog,
} from '../../../src/domain/referral/program.ts';
import { given } from '../../support/decider-specification.ts';

/** Unit 7 has 3 decimals, unit 8 none. The bot has event 100 and refunds. */
const catalog: RuleCatalog = {
  scales: new Map([
    [7, 3],
    [8, 0],
  ]),
  hasEvent: (id) => id === 100 || id === SYSTEM_EVENTS.refund,
};
const fixed: CreateRule = {
  rule_id: 1,
  name: 'First order',
  trigger_event_id: 100,
  reward_type: 'fixed',
  amount: '5',
  percent: null,
  unit_id: null,
  hold_days: '0',
};
const created = (rule: CreateRule): ProgramEvent => ({ type: 'reward_rule_created', data: { ...rule, active: true } });
const percent: CreateRule = { ...fixed, rule_id: 2, reward_type: 'percent', amount: null, percent: '2.9' };

describe('a rule', () => {
  it.each<[string, CreateRule]>([
    ['fixed', fixed],
    ['percent', percent],
    ['external', { ...fixed, reward_type: 'external', amount: null }],
  ])('of type %s is created', (_, rule) => {
    given(program)
      .when((state) => createRule(state, rule, catalog))
      .yields(created(rule));
  });

  it('keeps its decimals without superfluous zeros', () => {
    given(program)
      .when((state) => createRule(state, { ...fixed, amount: '0.10', hold_days: '007.50' }, catalog))
      .yields(created({ ...fixed, amount: '0.1', hold_days: '7.5' }));
    given(program)
      .when((state) => createRule(state, { ...fixed, unit_id: 7, amount: '123456789012.125' }, catalog))
      .yields(created({ ...fixed, unit_id: 7, amount: '123456789012.125' }));
  });

  it.each<[string, Partial<CreateRule>]>([
    ['name', { name: '' }],
    ['amount', { amount: null }],
    ['amount', { amount: '-1' }],
    ['amount', { amount: '1e3' }],
    ['amount', { amount: '0.001' }],
    ['amount', { amount: '0.5', unit_id: 8 }],
    ['amount', { amount: '0.1234', unit_id: 7 }],
    ['amount', { amount: '12345678901234.56' }],
    ['amount', { amount: '1'.repeat(200) }],
    ['amount', { reward_type: 'external' }],
    ['percent', { percent: '5' }],
    ['percent', { reward_type: 'percent', amount: null }],
    ['percent', { reward_type: 'percent', amount: null, percent: '1.2345678901234567' }],
    ['amount', { reward_type: 'percent', percent: '5' }],
    ['hold_days', { hold_days: '-1' }],
    ['hold_days', { hold_days: '40000' }],
    ['hold_days', { hold_days: '' }],
  ])('is refused for its %s as in %j', (path, more) => {
    given(program)
      .when((state) => createRule(state, { ...fixed, ...more }, catalog))
      .isRefused('invalid', path);
  });

  it.each<[string, Partial<CreateRule>]>([
    ['trigger_event_id', { trigger_event_id: 101 }],
    ['unit', { unit_id: 9 }],
  ])('is refused for a %s that the bot does not have', (path, more) => {
    given(program)
      .when((state) => createRule(state, { ...fixed, ...more }, catalog))
      .isRefused('not_found', path);
  });

  it.each([fixed, percent, { ...fixed, reward_type: 'external' as const, amount: null }])(
    'of type $reward_type is refused on refunds, which earn nothing',
    (rule) => {
      given(program)
        .when((state) => createRule(state, { ...rule, trigger_event_id: SYSTEM_EVENTS.refund }, catalog))
        .isRefused('invalid', 'trigger_event_id');
    },
  );

  it('records the changed fields and keeps the rest', () => {
    given(program, created(fixed))
      .when((state) => changeRule(state, 1, { amount: '7.50', name: 'First order', active: false }, catalog))
      .yields({ type: 'reward_rule_changed', data: { rule_id: 1, amount: '7.5', active: false } });
    given(program, created(fixed))
      .when((state) => changeRule(state, 1, { amount: '7.50', hold_days: '14', name: undefined }, catalog))
      .isIdempotent();
    given(program, created(fixed))
      .when((state) => changeRule(state, 1, { amount: '5.00' }, catalog))
      .yieldsNothing();
    const changed: ProgramEvent = { type: 'reward_rule_changed', data: { rule_id: 1, active: false } };
    expect(given(program, created(fixed), changed).state().get(1)).toEqual({ ...fixed, active: false });
  });

  it('can be changed only if it exists, and keeps its type', () => {
    given(program)
      .when((state) => changeRule(state, 1, { name: 'x' }, catalog))
      .isRefused('not_found', 'rule');
    given(program, created(percent))
      .when((state) => changeRule(state, 2, { amount: '1' }, catalog))
      .isRefused('invalid', 'amount');
    given(program, created(fixed))
      .when((state) => changeRule(state, 1, { percent: '1' }, catalog))
      .isRefused('invalid', 'percent');
    given(program, created({ ...fixed, unit_id: 8 }))
      .when((state) => changeRule(state, 1, { amount: '1.5' }, catalog))
      .isRefused('invalid', 'amount');
  });
});

describe('a percent', () => {
  it('is at most 100', () => {
    const of = (text: string): CreateRule => ({ ...percent, percent: text });
    given(program)
      .when((state) => createRule(state, of('100'), catalog))
      .yields(created(of('100')));
    for (const text of ['1000', '100.01'])
      given(program)
        .when((state) => createRule(state, of(text), catalog))
        .isRefused('invalid', 'percent');
    given(program, created(percent))
      .when((state) => changeRule(state, 2, { percent: '101' }, catalog))
      .isRefused('invalid', 'percent');
  });

  it('of an earlier program that is above 100 lets the rule be deactivated', () => {
    given(program, created({ ...percent, percent: '1000' }))
      .when((state) => changeRule(state, 2, { active: false }, catalog))
      .yields({ type: 'reward_rule_changed', data: { rule_id: 2, active: false } });
  });
});
