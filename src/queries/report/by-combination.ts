import { combinationKey, countVolumes } from '../../domain/report/breakdown.ts';
import type { ReportField } from '../../domain/report/fields.ts';
import type { TimelineEvent } from '../../domain/report/timeline.ts';
import type { Row } from './answer.ts';
import { type Breakdown, cellsOf, MAX_COMBINATIONS } from './combination-cells.ts';

/** The rows of one combination have `cells` in common; without a breakdown there is one, which has none. */
export interface Part<T> {
  readonly cells: Row;
  readonly tally: T;
}

/** Gives the tally that something belongs to by the event that decides, which has its separators' values. */
export type TallyOf<T> = (event: TimelineEvent) => T;

export interface TimelineBreakdown extends Breakdown {
  /** The fields whose values events carry. */
  readonly fields: readonly ReportField[];
}

/**
 * Runs `count` with a tally for every combination that is shown. With separators it runs twice: only when all has been
 * counted is it known which combinations are the largest, and tallies of all of them might not fit into memory.
 */
export async function byCombination<T>(
  breakdown: TimelineBreakdown,
  newTally: () => T,
  passes: {
    volumes: (add: (event: TimelineEvent) => void) => Promise<void>;
    tallies: (of: TallyOf<T>) => Promise<void>;
  },
): Promise<Part<T>[]> {
  const { separators, fields } = breakdown;
  if (separators.length === 0) {
    const tally = newTally();
    await passes.tallies(() => tally);
    return [{ cells: {}, tally }];
  }
  const places = separators.map(({ field }) => fields.findIndex(({ name }) => name === field.name));
  const valuesOf = ({ values }: TimelineEvent) => places.map((place) => values[place]!);
  const volumes = countVolumes();
  await passes.volumes((event) => {
    const values = valuesOf(event);
    volumes.add(combinationKey(values), values);
  });
  const { shown, more } = volumes.largest(MAX_COMBINATIONS);
  const tallies = new Map([...shown.keys()].map((key) => [key, newTally()]));
  const other = newTally();
  await passes.tallies((event) => tallies.get(combinationKey(valuesOf(event))) ?? other);
  const parts = [...shown].map(([key, values]) => ({ cells: cellsOf(breakdown, values), tally: tallies.get(key)! }));
  return more ? [...parts, { cells: cellsOf(breakdown, null), tally: other }] : parts;
}
