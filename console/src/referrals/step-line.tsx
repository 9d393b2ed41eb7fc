import { useMemo } from 'preact/hooks';
import type { Value } from '../api.ts';
import { localOf } from '../format.ts';
import { LegendChart } from '../parts/time-chart.tsx';
import type { Line, Program } from './data.ts';
import { unitName } from './parts.tsx';
import { words } from './words.ts';

interface StepLineProps {
  readonly lines: readonly Line[];
  /** The unit of the amounts. */
  readonly unitId: number | null;
  readonly units: Program['units'];
  /** The chosen moment, which the chart marks; '': now. */
  readonly at: string;
}

/** The available balance of one unit after each line. */
export function StepLine({ lines, unitId, units, at }: StepLineProps) {
  const unit = unitName(units, unitId);
  const [times, values] = useMemo(() => {
    const dates: string[] = [];
    const amounts: Value[] = [];
    for (const { date, unit_id, available } of lines) {
      if (unit_id !== unitId) continue;
      // Of the lines of one second, the chart shows the last.
      if (date === dates.at(-1)) amounts.pop();
      else dates.push(date);
      amounts.push(available);
    }
    return [dates.map(localOf), amounts];
  }, [lines, unitId]);
  return (
    <LegendChart
      times={times}
      series={[{ label: words.availableIn(unit), values, stepped: true }]}
      shape="line"
      label={words.lineLabel(unit)}
      mark={at === '' ? undefined : localOf(at)}
    />
  );
}
