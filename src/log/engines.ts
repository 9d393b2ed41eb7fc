import { eventStore } from './eventstore/engine.ts';
import { kafka } from './kafka/engine.ts';
import { postgres } from './postgres/engine.ts';

/** Every engine of the log; the first is the default. A new engine is one line here. */
export const ENGINES = [postgres, kafka, eventStore] as const;

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The environment variables of all engines. */
export const ENGINE_VARIABLES = Object.assign({}, ...ENGINES.map(({ config }) => config.variables)) as Intersection<
  (typeof ENGINES)[number]['config']['variables']
>;

export const ENGINE_NAMES: readonly string[] = ENGINES.map(({ name }) => name);

/** Finds an engine by its name in EVENT_LOG. `open` accepts all variables of the configuration. */
export function engineOf(name: string) {
  const engine = ENGINES.find((each) => each.name === name);
  if (engine === undefined) throw new RangeError(`the engine must be ${ENGINE_NAMES.join(', ')}, not ${name}`);
  return engine;
}
