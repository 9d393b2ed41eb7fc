import { dayName } from '../format.ts';
import type { Answer } from './answer.ts';
import { BucketTable } from './bucket-table.tsx';
import { FunnelChart } from './funnel-chart.tsx';
import { stepsOf } from './funnel-steps.ts';
import { FunnelTable } from './funnel-view.tsx';
import { HeatMap } from './heat-map.tsx';
import { ListRows } from './list-rows.tsx';
import type { ViewProps } from './numbers.tsx';
import { LinesChart, LinesLegend, useLines } from './over-time.tsx';
import { cohortsOf } from './retention-view.tsx';
import { Rows } from './rows.tsx';
import { Numbers, Shares } from './totals.tsx';
import { words } from './words.ts';
import './reports.css';

/** The kinds of an answer: each is drawn in its own way. */
export type AnswerKind = 'funnel' | 'retention' | 'list' | 'number' | 'shares' | 'time' | 'rows';

/** The kind of an answer to a report. */
export function kindOf({ state, answer }: Pick<ViewProps, 'state' | 'answer'>): AnswerKind {
  if (state.type === 'funnels') return 'funnel';
  if (state.type === 'retention') return 'retention';
  if (state.type === 'list') return 'list';
  if (state.chart === 'number') return 'number';
  if (state.chart === 'pie') return 'shares';
  return answer.columns[0]?.type === 'date' ? 'time' : 'rows';
}

/** The answer of a report within a card of another page: the chart, with the numbers in a table under it. */
export function View(props: ViewProps) {
  const { state, answer, onCell } = props;
  if (answer.rows.length === 0) return <p>{words.empty}</p>;
  switch (kindOf(props)) {
    case 'funnel':
      return (
        <>
          <FunnelChart steps={stepsOf(answer)} />
          <FunnelTable answer={answer} onCell={onCell} />
        </>
      );
    case 'retention':
      return <HeatMap answer={answer} cohorts={cohortsOf(state, answer)} onCell={onCell} />;
    case 'list':
      return <ListRows answer={answer} onCell={onCell} />;
    case 'number':
      return <Numbers {...props} />;
    case 'shares':
      return <Shares {...props} />;
    case 'time':
      return <OverTime {...props} />;
    case 'rows':
      return <Rows {...props} />;
  }
}

function OverTime(props: ViewProps) {
  const { state, answer, previous, closed } = props;
  const lines = useLines(state, answer, previous);
  return (
    <>
      <LinesLegend state={state} lines={lines} compared={previous !== undefined} />
      <LinesChart {...props} lines={lines} />
      <details class="as-table" open={closed !== true && answer.rows.length <= 31}>
        <summary>{words.table}</summary>
        <BucketTable {...props} flags={lines.flags} />
      </details>
    </>
  );
}

/** The days that an answer is of, in words. */
export function daysText({ meta }: Answer): string {
  return [...new Set([meta.date_from, meta.date_to].map((at) => dayName(at)))].join(' – ');
}

/** Of which days the answer is, and what the service warns of. */
export function Footnotes({ answer }: { readonly answer: Answer }) {
  const { meta } = answer;
  return (
    <footer class="quiet-text small-text">
      <p>{daysText(answer)}</p>
      {meta.truncated && <p>{words.truncated}</p>}
      {meta.warnings.map(({ path, message }) => (
        <p class="warning" key={path + message}>
          {message}
        </p>
      ))}
    </footer>
  );
}
