import { decideLetter, listLetters } from '../../administration/dead-letter-work.ts';
import { type Cli, type CliContext, ReadModelWaitTimeoutError } from '../command.ts';

export function deadLetter(cli: Cli): void {
  const { noun } = cli;

  noun
    .command('list')
    .description('List every commit that a read model stopped at or dead-lettered.')
    .action(cli.action<[object]>(async (context) => ({ value: await rows(context) })));

  noun
    .command('retry')
    .description('Apply the commit again. The log records the decision.')
    .argument('<id>')
    .action(cli.action<[string]>(async (context, id) => ({ value: await decide(context, id, null) })));

  noun
    .command('skip')
    .description('Skip the commit, now and in every replay. The log records the decision.')
    .argument('<id>')
    .requiredOption('--reason <text>')
    .action(
      cli.action<[string, { reason: string }]>(async (context, id, { reason }) => ({
        value: await decide(context, id, reason),
      })),
    );
}

async function rows({ pool }: CliContext): Promise<object[]> {
  const all = { limit: Number.MAX_SAFE_INTEGER, offset: 0, events: 0, characters: 0 };
  return (await listLetters(pool, all)).items.map(
    ({ id, projection, version, stream, position, blocking, quarantined, at, error }) => ({
      ...{ id, projection, version, stream, position, blocking, quarantined, at: at.toISOString(), error },
    }),
  );
}

/** How long a command waits until the version has applied the commit or failed again. */
const OUTCOME_MS = 10_000;

async function decide(context: CliContext, id: string, skipFor: string | null): Promise<object> {
  const inEffect = await decideLetter(context, { id, skipFor, projector: context.projector, outcomeMs: OUTCOME_MS });
  if (!inEffect) throw new ReadModelWaitTimeoutError(OUTCOME_MS / 1000);
  return { id, [skipFor === null ? 'retried' : 'skipped']: true };
}
