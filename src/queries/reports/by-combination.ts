import { largestCombinations } from '../../domain/reports/breakdown.ts';
import type { Row } from './answer.ts';
import { type Breakdown, cellsOf, MAX_COMBINATIONS } from './combination-cells.ts';
import type { Combinations } from './combinations.ts';

/** The rows of one combination have `cells` in common; without a breakdown there is one, which has none. */
export interface Part<T> {
  readonly cells: Row;
  readonly tally: T;
}

/** Gives the tally that something belongs to by the combination of the event that decides. */
export type TallyOf<T> = (combination: number) => T;

/**
 * Runs `count` with a tally for every combination that is shown. With separators it runs twice: only when all has been
 * counted is it known which combinations are the largest, and tallies of all of them might not fit into memory.
 */
export async function byCombination<T>(
  breakdown: Breakdown,
  combinations: Combinations | null,
  newTally: () => T,
  passes: {
    volumes: (add: (combination: number) => void) => Promise<void>;
    tallies: (of: TallyOf<T>) => Promise<void>;
  },
): Promise<Part<T>[]> {
  if (combinations === null) {
    const tally = newTally();
    await passes.tallies(() => tally);
    return [{ cells: {}, tally }];
  }
  const volumes: number[] = [];
  await passes.volumes((combination) => {
    volumes[combination] = (volumes[combination] ?? 0) + 1;
  });
  const { shown, more } = largestCombinations(combinations.values, volumes, MAX_COMBINATIONS);
  const tallies = new Map(shown.map((combination) => [combination, newTally()]));
  const other = more ? newTally() : undefined;
  await passes.tallies((combination) => tallies.get(combination) ?? other!);
  const parts = [...tallies].map(([combination, tally]) => {
    return { cells: cellsOf(breakdown, combinations.values[combination]!), tally };
  });
  return other === undefined ? parts : [...parts, { cells: cellsOf(breakdown, null), tally: other }];
}
