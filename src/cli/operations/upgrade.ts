import { applyUpgrade, type UpgradedReadModel } from '../../administration/upgrade/apply-upgrade.ts';
import type { UpgradePlan } from '../../administration/upgrade/upgrade-plan.ts';
import { counted } from '../../util/counted.ts';
import { type Answer, type Cli, CliError } from '../command.ts';

export function upgrade(cli: Cli): void {
  cli.noun
    .command('plan')
    .description('Run by the new release: say what its start migrates and builds, and whether it reads the log.')
    .action(cli.withoutContext(async () => answerOf(await cli.planUpgrade())));

  cli.noun
    .command('apply')
    .description(
      'Run by the new release: build, verify and switch the read models that it has changed. Safe to repeat: it resumes.',
    )
    .option('--no-switch', 'Build and verify, and leave the former versions to answer.')
    .action(
      cli.action<[{ switch: boolean }]>(async (context, { switch: switches }) => {
        await context.yieldToService();
        const notes: string[] = [];
        const upgraded = await applyUpgrade(context, { switches, note: (line) => notes.push(line) });
        return applied(upgraded, notes);
      }),
    );
}

function applied(upgraded: readonly UpgradedReadModel[], notes: readonly string[]): Answer {
  if (upgraded.length === 0)
    return { value: upgraded, notes: ['this release has changed no read model, or each change is applied'] };
  const shown = upgraded.map(({ tables, ...row }) => ({
    ...row,
    other_rows: tables
      .map(({ table, former_rows, rows }) => `${table} ${former_rows ?? 'none'} to ${rows ?? 'none'}`)
      .join('; '),
  }));
  const back = upgraded.flatMap(({ name, former_version, is_live }) =>
    is_live && former_version !== null ? [`back: botledger projection switch ${name} --version ${former_version}`] : [],
  );
  return { value: upgraded, shown, notes: [...notes, ...back] };
}

function answerOf(plan: UpgradePlan): Answer {
  const migrated = plan.migrations.map(({ schema, names }) => ({
    ...{ part: `schema ${schema}`, change: `migrates ${names.join(', ')}` },
    ...{ commits: null, seconds: null, megabytes: null },
  }));
  const built = plan.read_models
    .filter(({ is_built }) => is_built)
    .map(({ name, from_shape, to_shape, changes, commits, seconds, disk_bytes }) => ({
      part: `read model ${name}`,
      change: `shape ${from_shape ?? 'none'} to ${to_shape}${changes.length === 0 ? '' : `: ${changes.join('; ')}`}`,
      commits,
      seconds,
      megabytes: disk_bytes === null ? null : Math.ceil(disk_bytes / 1e6),
    }));
  const unreadable = (plan.events?.types ?? []).flatMap(({ type, v, events, unreadable: first }) =>
    first === null
      ? []
      : [`${counted(events, 'event')} of ${type} v${v}; the first is at ${first.position}: ${first.error}`],
  );
  return {
    value: plan,
    shown: [...migrated, ...built],
    notes: [
      plan.events === null
        ? 'the log was not read: its tables migrate first'
        : `read ${counted(plan.events.commits, 'commit')}; types and versions of their events: ${plan.events.types.length}`,
      ...unreadable.map((each) => `unreadable: ${each}`),
      ...plan.steps.map((step, i) => `${i + 1}. ${step}`),
    ],
    ...(unreadable.length > 0 && { failure: new CliError('this release cannot read the log') }),
  };
}
