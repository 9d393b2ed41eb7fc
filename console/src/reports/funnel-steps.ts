import type { Answer, Row } from './answer.ts';

/** A step of a funnel over all parts of a split. */
export interface Step {
  /** From 1. */
  readonly step: number;
  readonly label: string;
  /** People who reached it. */
  readonly people: number;
  /** People who reached the step before and have no time left. */
  readonly left: number;
  /** People who reached the step before and still have time. */
  readonly open: number;
  /** Seconds from the step before; null: of none, or of several parts, whose medians do not add up. */
  readonly median: number | null;
}

/** The rows in groups with the same key, in the order of the first row of each. */
export function grouped(rows: readonly Row[], keyOf: (row: Row) => string): Row[][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** The steps of a funnel, summed up over the parts of a split: each person is in one of them. */
export function stepsOf({ rows }: Answer): readonly Step[] {
  const groups = grouped(rows, (row) => String(row['step']));
  return groups.map((parts) => {
    const sum = (key: string): number => parts.reduce((all, row) => all + Number(row[key] ?? 0), 0);
    const [first] = parts as [Row];
    const step = Number(first['step']);
    const median = parts.length === 1 ? first['median_seconds'] : null;
    return {
      step,
      label: String(first['label']),
      people: sum('users'),
      left: sum('dropped'),
      open: sum('in_progress'),
      median: median === null || median === undefined ? null : Number(median),
    };
  });
}

/** The step that the smallest part of those before it reached; undefined: no step had people before it. */
export function weakestOf(steps: readonly Step[]): Step | undefined {
  const rate = (step: Step): number => step.people / steps[step.step - 2]!.people;
  return steps
    .slice(1)
    .filter((step) => steps[step.step - 2]!.people > 0)
    .toSorted((a, b) => rate(a) - rate(b))[0];
}
