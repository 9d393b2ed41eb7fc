import { isExpanding } from '../../database/migrate.ts';
import type { UpgradePlan } from './upgrade-plan.ts';

/** The steps of an operator, in order (docs/upgrades.md). */
export function stepsOf({ migrations, read_models, events }: Omit<UpgradePlan, 'steps'>): string[] {
  const unreadable = (events?.types ?? []).filter((type) => type.unreadable !== null);
  if (unreadable.length > 0)
    return [
      `do not start this release: it cannot read ${unreadable.map(({ type, v }) => `${type} v${v}`).join(', ')}; look for a newer one`,
    ];
  const built = read_models.filter(({ is_built }) => is_built);
  const steps: string[] = [];
  if (migrations.some(({ names }) => !names.every(isExpanding)))
    steps.push('botledger backup FILE, by the former release: it does not start again once this one has migrated');
  // Any command of this release but the plan migrates first.
  if (events === null)
    steps.push('botledger projection list, which migrates', 'botledger upgrade plan, which then reads the log');
  if (built.length > 0) steps.push('botledger upgrade apply, while the former release runs');
  steps.push('start this release');
  const kept = built.filter(({ serves_former }) => serves_former).map(({ name }) => name);
  if (kept.length > 0) steps.push(`a step back: botledger projection switch NAME --version N, for ${kept.join(', ')}`);
  const gone = built.filter(({ serves_former, from_shape }) => !serves_former && from_shape !== null);
  if (gone.length > 0)
    steps.push(
      `without apply ${gone.map(({ name }) => name).join(', ')} answer 503 until built, and this release cannot switch back to their former tables`,
    );
  return steps;
}
