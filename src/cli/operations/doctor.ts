import { type Answer, type Cli, CliError } from '../command.ts';

/** The result of an examination about one part of the installation (decisions.md#doctor). */
export interface Finding {
  readonly check: string;
  /** `warning`: it works, and needs a look. `wrong`: it does not work, or data are missing. */
  readonly state: 'ok' | 'warning' | 'wrong';
  readonly finding: string;
  /** The next step of the operator; null: none. */
  readonly remedy: string | null;
}

export function doctor(cli: Cli): void {
  cli.noun.action(cli.withoutContext(async () => answerOf(await cli.examine())));
}

function answerOf(findings: readonly Finding[]): Answer {
  const wrong = findings.filter(({ state }) => state === 'wrong').length;
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  const answer = { value: findings, notes: [`${findings.length} findings, ${wrong} wrong, ${warnings} to look at`] };
  return wrong === 0
    ? answer
    : { ...answer, failure: new CliError(`${wrong} of ${findings.length} findings are wrong`) };
}
