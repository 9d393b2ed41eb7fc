import type { OnBadEvent } from './runtime/projector-options.ts';

/**
 * ON_BAD_EVENT: the action of a read model at an event that it cannot apply. `quarantine`, `stop`,
 * `dead-letter`, or a list of `name=mode`. A mode without a name is for all other read models.
 */

const MODES: readonly OnBadEvent[] = ['quarantine', 'stop', 'dead-letter'];

interface Rule {
  /** Undefined: every read model without its own rule. */
  readonly name: string | undefined;
  readonly mode: string;
}

function rulesOf(text: string): Rule[] {
  return text.split(',').map((part) => {
    const [name = '', mode] = part.trim().split('=', 2);
    return mode === undefined ? { name: undefined, mode: name } : { name, mode };
  });
}

/** The mistakes in a value of ON_BAD_EVENT, one line each. */
export function problemsOfPolicy(text: string, names: readonly string[]): string[] {
  const rules = rulesOf(text);
  return rules.flatMap(({ name, mode }, i) => [
    ...(MODES.some((each) => each === mode) ? [] : [`${JSON.stringify(mode)} must be one of ${MODES.join(', ')}`]),
    ...(rules.findIndex((rule) => rule.name === name) === i
      ? []
      : [`${name ?? 'the mode for all other read models'} is given twice`]),
    ...(name === undefined || names.includes(name) ? [] : [`there is no read model ${JSON.stringify(name)}`]),
  ]);
}

/** The mode of a read model. @param text was checked by `problemsOfPolicy` */
export function onBadEvent(text: string, name: string): OnBadEvent {
  const rules = rulesOf(text);
  const own = rules.find((rule) => rule.name === name) ?? rules.find((rule) => rule.name === undefined);
  return (own?.mode ?? 'quarantine') as OnBadEvent;
}
