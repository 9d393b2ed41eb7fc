import type { Combinations } from '../../columns/combinations.ts';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import { combinationKey, largestCombinations } from '../../domain/reports/breakdown.ts';
import type { Team } from './team.ts';

/** The combinations that a breakdown shows. They are the same in each thread of a team. */
export interface ShownCombinations {
  /** The values of each, largest first. */
  readonly values: readonly (readonly FieldValue[])[];
  /** Whether there are more combinations than are shown. */
  readonly more: boolean;
  /** By this thread's number of a combination: its place among those that are shown, or their count. */
  readonly lineOf: Uint32Array;
}

type Volumes = ArrayLike<number | undefined>;

/**
 * Finds the largest combinations of all threads.
 * @param volumes of this thread, by its number of the combination
 */
export async function shownCombinations(
  combinations: Combinations,
  volumes: Volumes,
  { limit, team }: { readonly limit: number; readonly team: Team },
): Promise<ShownCombinations> {
  const { values, isShared } = combinations;
  const lineOf = new Uint32Array(values.length);
  const parts = await team.gather(isShared ? { values: [], volumes } : occurring(values, volumes));
  const { shown, more } = await team.once(async () => {
    const all = isShared ? { values, volumes: sumOf(parts!) } : renumbered(parts!);
    const { shown, more } = largestCombinations(all.values, all.volumes, limit);
    return { shown: shown.map((number) => ({ number, values: all.values[number]! })), more };
  });
  lineOf.fill(shown.length);
  if (isShared) for (const [line, { number }] of shown.entries()) lineOf[number] = line;
  else {
    const lines = new Map(shown.map((each, line) => [combinationKey(each.values), line]));
    for (const [number, each] of values.entries()) lineOf[number] = lines.get(combinationKey(each)) ?? shown.length;
  }
  return { values: shown.map((each) => each.values), more, lineOf };
}

function sumOf(parts: readonly { readonly volumes: Volumes }[]): Volumes {
  const [{ volumes: first }, ...others] = parts as [{ volumes: Volumes }, ...{ volumes: Volumes }[]];
  if (others.length === 0) return first;
  const sum = Array.from(first, (volume) => volume ?? 0);
  for (const { volumes } of others)
    for (let number = 0; number < volumes.length; number++) sum[number] = (sum[number] ?? 0) + (volumes[number] ?? 0);
  return sum;
}

/** Without the combinations that have no volume: a dictionary may have many more. */
function occurring(values: readonly (readonly FieldValue[])[], volumes: Volumes): NumberedVolumes {
  const found = [...values.keys()].filter((number) => volumes[number]! > 0);
  return { values: found.map((number) => values[number]!), volumes: found.map((number) => volumes[number]!) };
}

interface NumberedVolumes {
  readonly values: readonly (readonly FieldValue[])[];
  readonly volumes: Volumes;
}

/** The combinations of all threads, each once. */
function renumbered(parts: readonly NumberedVolumes[]): NumberedVolumes {
  const values: (readonly FieldValue[])[] = [];
  const sum: number[] = [];
  const numbers = new Map<string, number>();
  for (const part of parts)
    for (const [i, each] of part.values.entries()) {
      const key = combinationKey(each);
      let number = numbers.get(key);
      if (number === undefined) {
        number = values.push(each) - 1;
        numbers.set(key, number);
      }
      sum[number] = (sum[number] ?? 0) + (part.volumes[i] ?? 0);
    }
  return { values, volumes: sum };
}
