import { Option } from 'commander';
import { issueOperator, revokeOperator } from '../../commands/operations/operator-work.ts';
import { OPERATOR_RIGHTS, type OperatorRight } from '../../domain/operations/operator.ts';
import { listOperators } from '../../queries/operations/operator-list.ts';
import type { Cli } from '../command.ts';
import { positiveInteger } from '../values.ts';

export function operator(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('issue')
    .description('Issue a key for an operator. Its value is shown once.')
    .requiredOption('--name <name>', 'who gets it')
    .addOption(new Option('--can <right>', 'look only, or look and act').choices(OPERATOR_RIGHTS).makeOptionMandatory())
    .action(
      cli.action<[{ readonly name: string; readonly can: OperatorRight }]>(async (context, { name, can }) => {
        const { operatorId, operatorKey, position } = await issueOperator(context, { name, can });
        return {
          value: { operator_id: operatorId, operator_key: operatorKey },
          change: { category: 'operator', position },
        };
      }),
    );

  noun
    .command('list')
    .description('List the operators, also revoked ones.')
    .action(cli.action<[object]>(async (context) => ({ value: await listOperators(await context.at('catalog')) })));

  noun
    .command('revoke')
    .description("Revoke an operator's key. It stops working within 2 s.")
    .requiredOption('--operator <id>', 'the operator', positiveInteger)
    .action(
      cli.action<[{ readonly operator: number }]>(async (context, { operator }) => {
        const { position } = await revokeOperator(context, operator);
        return {
          value: { operator_id: operator },
          change: { category: 'operator', position, replaces: true },
        };
      }),
    );
}
