import { z } from 'zod';
import { MAX_NAME_LENGTH, textProblem } from '../catalog/checks.ts';
import { type Decision, decider } from '../decider.ts';
import { type EventOf, eventType } from '../event-type.ts';
import { Rejection } from '../rejection.ts';

/** Stream `operator-<id>`: the credential of an operator (decisions.md#operators). Operators are not owners. */

/** The rights of an operator: `read` only reads, `act` also makes changes. */
export const OPERATOR_RIGHTS = ['read', 'act'] as const;
export type OperatorRight = (typeof OPERATOR_RIGHTS)[number];

/** The part before the colon of every operator key. No API key has it. */
export const OPERATOR_PART = 'operator';

const id = z.number().int().positive();

export const operatorIssued = eventType(
  'operator_issued',
  1,
  z.object({
    operator_id: id,
    name: z.string(),
    can: z.enum(OPERATOR_RIGHTS),
    /** Hex SHA-256 of the secret. The secret itself is not stored. */
    secret_hash: z.string(),
  }),
);
/** After this event the service refuses the key. */
export const operatorRevoked = eventType('operator_revoked', 1, z.object({ operator_id: id }));

export type OperatorEvent = EventOf<typeof operatorIssued | typeof operatorRevoked>;

export interface OperatorState {
  readonly issued: EventOf<typeof operatorIssued>['data'] | null;
  readonly revoked: boolean;
}

export const operator = decider(
  [operatorIssued, operatorRevoked],
  (): OperatorState => ({ issued: null, revoked: false }),
  (state, event) => (event.type === 'operator_issued' ? { ...state, issued: event.data } : { ...state, revoked: true }),
);

export function issueOperator(
  state: OperatorState,
  command: EventOf<typeof operatorIssued>['data'],
): Decision<OperatorEvent> {
  if (state.issued !== null) return new Rejection('conflict', 'operator', `operator ${command.operator_id} exists`);
  return textProblem('name', command.name, MAX_NAME_LENGTH) ?? [{ type: 'operator_issued', data: command }];
}

export function revokeOperator(state: OperatorState, operatorId: number): Decision<OperatorEvent> {
  if (state.issued === null) return new Rejection('not_found', 'operator', `there is no operator ${operatorId}`);
  return state.revoked ? [] : [{ type: 'operator_revoked', data: { operator_id: operatorId } }];
}
