import type { UpgradePlan } from '../../administration/upgrade-plan.ts';

/** The steps of an operator, in order (docs/upgrades.md). */
export function stepsOf({ migrations, read_models, events }: Omit<UpgradePlan, 'steps'>): string[] {
  const unreadable = (events?.types ?? []).filter((type) => type.unreadable !== null);
  if (unreadable.length > 0)
    return [
      `do not start this release: it cannot read ${unreadable.map(({ type, v }) => `${type} v${v}`).join(', ')}; look for a newer one`,
    ];
  const built = read_models.filter(({ is_built }) => is_built).map(({ name }) => name);
  const steps: string[] = [];
  if (migrations.length > 0)
    steps.push('botledger backup FILE, by the former release: it does not start again once this one has migrated');
  // Any command of this release but the plan migrates first.
  if (events === null)
    steps.push('botledger projection list, which migrates', 'botledger upgrade plan, which then reads the log');
  for (const name of built) steps.push(`botledger projection rebuild ${name}`, `botledger projection verify ${name}`);
  steps.push('start this release');
  for (const name of built) steps.push(`botledger projection switch ${name}`);
  return steps;
}
