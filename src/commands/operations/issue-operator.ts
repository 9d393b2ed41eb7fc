import {
  issueOperator as decideIssueOperator,
  revokeOperator as decideRevokeOperator,
  OPERATOR_PART,
  type OperatorRight,
  operator,
} from '../../domain/operations/operator.ts';
import { operatorStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { newSecret } from '../catalog/secrets.ts';
import { type CommandContext, decideAndAppend } from '../decide-and-append.ts';
import { reserveId } from '../reserve-ids.ts';

export interface IssuedOperator {
  readonly operatorId: number;
  /** `operator:<secret>`, shown once: the log has only the secret's hash. */
  readonly operatorKey: string;
  readonly position: Position | undefined;
}

/** Operators and API keys take ids from one sequence, so that the id in a commit names one credential. @throws Rejection */
export async function issueOperator(
  context: CommandContext,
  { name, can }: { readonly name: string; readonly can: OperatorRight },
): Promise<IssuedOperator> {
  const operator_id = await reserveId(context, 'key');
  const secret = newSecret(context.sources);
  const issue = { operator_id, name, can, secret_hash: secret.hash };
  const { position } = await decideAndAppend(context, operator, operatorStream(operator_id), (state) =>
    decideIssueOperator(state, issue),
  );
  return { operatorId: operator_id, operatorKey: `${OPERATOR_PART}:${secret.text}`, position };
}

/** Revokes an operator's key: it is refused from now on. @throws Rejection */
export function revokeOperator(
  context: CommandContext,
  operatorId: number,
): Promise<{ position: Position | undefined }> {
  return decideAndAppend(context, operator, operatorStream(operatorId), (state) =>
    decideRevokeOperator(state, operatorId),
  );
}
