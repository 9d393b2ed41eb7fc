import { describe, expect, it } from 'vitest';
import { readConfig, servesAdmin } from '../../../src/config.ts';
import {
  issueOperator,
  type OperatorEvent,
  operator,
  revokeOperator,
} from '../../../src/domain/operations/operator.ts';
import { given } from '../../support/decider-specification.ts';

const command = { operator_id: 3, name: 'Ann', can: 'read' as const, secret_hash: 'ab'.repeat(32) };
const issued: OperatorEvent = { type: 'operator_issued', data: command };
const revoked: OperatorEvent = { type: 'operator_revoked', data: { operator_id: 3 } };

describe('an operator', () => {
  it('is issued once', () => {
    given(operator)
      .when((state) => issueOperator(state, command))
      .yields(issued);
    given(operator, issued)
      .when((state) => issueOperator(state, command))
      .isRefused('conflict', 'operator');
  });

  it.each(['', 'x'.repeat(251), 'a\0b'])('is refused for the name %j', (name) => {
    given(operator)
      .when((state) => issueOperator(state, { ...command, name }))
      .isRefused('invalid', 'name');
  });

  it('is revoked once', () => {
    given(operator, issued)
      .when((state) => revokeOperator(state, 3))
      .yields(revoked);
    given(operator, issued)
      .when((state) => revokeOperator(state, 3))
      .isIdempotent();
    given(operator)
      .when((state) => revokeOperator(state, 3))
      .isRefused('not_found', 'operator');
  });
});

describe('ADMIN_API', () => {
  it.each([
    [{}, true],
    [{ HOST: 'localhost' }, true],
    [{ HOST: '::1' }, true],
    [{ HOST: '127.0.0.2' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '127.0.0.1.example' }, false],
    [{ DATABASE_URL: 'postgres://u:p@h/d' }, false],
    [{ DATABASE_URL: 'postgres://u:p@h/d', ADMIN_API: 'on' }, true],
    [{ ADMIN_API: 'off' }, false],
    [{ TRUST_PROXY: 'true' }, false],
    [{ TRUST_PROXY: '127.0.0.1' }, false],
    [{ TRUST_PROXY: 'false' }, true],
    [{ TRUST_PROXY: 'true', ADMIN_API: 'on' }, true],
  ])('with %j is on: %s', (env, isOn) => {
    expect(servesAdmin(readConfig(env))).toBe(isOn);
  });
});
