import type { Finding } from '../../administration/finding.ts';
import { counted } from '../../util/counted.ts';
import { type Answer, type Cli, CliError } from '../command.ts';

export function doctor(cli: Cli): void {
  cli.noun.action(cli.withoutContext(async () => answerOf(await cli.examine())));
}

function answerOf(findings: readonly Finding[]): Answer {
  const wrong = findings.filter(({ state }) => state === 'wrong').length;
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  const count = counted(findings.length, 'finding');
  const answer = { value: findings, notes: [`${count}, ${wrong} wrong, ${warnings} to look at`] };
  return wrong === 0
    ? answer
    : { ...answer, failure: new CliError(`${wrong} of ${count} ${wrong === 1 ? 'is' : 'are'} wrong`) };
}
