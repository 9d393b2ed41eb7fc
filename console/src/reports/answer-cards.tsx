import type { ComponentChildren } from 'preact';
import { number } from '../format.ts';
import { Card } from '../parts/card.tsx';
import { namedField } from '../parts/names.ts';
import { BucketTable } from './bucket-table.tsx';
import { breakdownOf, funnelCell } from './cell.ts';
import { FormPicker } from './form-picker.tsx';
import { FunnelChart } from './funnel-chart.tsx';
import { stepsOf } from './funnel-steps.ts';
import { FunnelHeadline, FunnelTable, titleOf } from './funnel-view.tsx';
import { HeatMap, Ramp } from './heat-map.tsx';
import { eventName } from './lines.ts';
import { ListRows } from './list-rows.tsx';
import type { ViewProps } from './numbers.tsx';
import { ChartNotes, LinesChart, LinesLegend, useLines } from './over-time.tsx';
import { CohortLegend, CohortLines, cohortsOf, RetentionHeadline, useCohortLines } from './retention-view.tsx';
import { Rows } from './rows.tsx';
import type { ReportState } from './state.ts';
import { Numbers, Shares } from './totals.tsx';
import { daysText, Footnotes, kindOf } from './view.tsx';
import { words } from './words.ts';

export interface AnswerCardsProps extends ViewProps {
  /** The present question; the answer may still be another question's. */
  readonly question: ReportState;
  /** Changes the form of the report. Absent: it stays as it is. */
  readonly onForm?: ((state: ReportState) => void) | undefined;
}

/** The answer of a report on its own page: first the answer, then the table that explains it. */
export function AnswerCards(props: AnswerCardsProps) {
  const { answer } = props;
  if (answer.rows.length === 0) return <Whole {...props}>{<p>{words.empty}</p>}</Whole>;
  switch (kindOf(props)) {
    case 'time':
      return <TimeCards key={answer.columns.map(({ key, label }) => key + label).join()} {...props} />;
    case 'funnel':
      return <FunnelCards {...props} />;
    case 'retention':
      return <RetentionCards {...props} />;
    case 'number':
      return (
        <Whole {...props}>
          <Numbers {...props} />
        </Whole>
      );
    case 'shares':
      return (
        <Whole {...props}>
          <Shares {...props} />
        </Whole>
      );
    case 'rows':
      return (
        <Whole {...props} {...(props.state.chart === 'table' ? { lead: words.tableCounts } : {})}>
          <Rows {...props} />
        </Whole>
      );
    case 'list':
      return (
        <Whole {...props}>
          <ListRows {...props} />
        </Whole>
      );
  }
}

interface ChartCardProps extends AnswerCardsProps {
  /** The first part of the head: the legend with totals, or a few figures. */
  readonly head?: ComponentChildren;
  readonly notes?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The first card: the answer at a glance, and the forms that it can have. */
function ChartCard({ question, answer, onForm, head, notes, children }: ChartCardProps) {
  return (
    <section class="card" aria-label={words.answer}>
      <header>
        {head ?? <span />}
        <FormPicker state={question} onForm={onForm} />
      </header>
      <div class="body">{children}</div>
      <footer>
        {notes}
        <Footnotes answer={answer} />
      </footer>
    </section>
  );
}

/** A report that is one card. */
function Whole({
  lead,
  ...props
}: AnswerCardsProps & { readonly lead?: string; readonly children: ComponentChildren }) {
  return <ChartCard {...props} notes={lead !== undefined && <span>{lead}</span>} />;
}

function TimeCards(props: AnswerCardsProps) {
  const { state, answer, previous } = props;
  const lines = useLines(state, answer, previous);
  return (
    <>
      <ChartCard
        {...props}
        head={<LinesLegend state={state} lines={lines} compared={previous !== undefined} />}
        notes={<ChartNotes {...props} lines={lines} previous={previous && daysText(previous)} />}
      >
        <LinesChart {...props} lines={lines} />
      </ChartCard>
      <Card title={words.tableBy[state.granularity]} flush>
        <BucketTable {...props} flags={lines.flags} />
      </Card>
    </>
  );
}

function FunnelCards(props: AnswerCardsProps) {
  const { answer, onCell } = props;
  const steps = stepsOf(answer);
  const split = breakdownOf(answer);
  const last = steps.at(-1)!;
  const row = split.length === 0 ? answer.rows.find(({ step }) => step === last.step) : undefined;
  return (
    <>
      <ChartCard
        {...props}
        head={<FunnelHeadline answer={answer} />}
        notes={
          <>
            <FunnelLegend />
            {row !== undefined && last.open > 0 && (
              <button
                type="button"
                class="btn small"
                onClick={() => onCell(funnelCell(answer, row, 'in_progress'), titleOf(answer, row, 'in_progress'))}
              >
                {words.showOpen(number(last.open), eventName(last.label))}
              </button>
            )}
          </>
        }
      >
        <FunnelChart steps={steps} />
      </ChartCard>
      <Card
        title={split.length === 0 ? words.bySteps : words.by_(split.map(({ key }) => namedField(key).label).join(', '))}
        flush
      >
        <FunnelTable answer={answer} onCell={onCell} />
      </Card>
    </>
  );
}

function FunnelLegend() {
  return (
    <span class="legend">
      <span>
        <span class="key k1" />
        {words.reached}
      </span>
      <span>
        <span class="key hatch" />
        {words.timeLeft}
      </span>
      <span>
        <span class="key k-quiet" />
        {words.leftBefore}
      </span>
    </span>
  );
}

function RetentionCards(props: AnswerCardsProps) {
  const { state, answer, onCell } = props;
  const cohorts = cohortsOf(state, answer);
  return (
    <>
      {state.retention.view === 'lines' ? (
        <RetentionLinesCard key={answer.rows.length} {...props} />
      ) : (
        <ChartCard {...props} head={<RetentionHeadline cohorts={cohorts} />}>
          {null}
        </ChartCard>
      )}
      <Card title={words.cohortsBy[state.granularity as 'day' | 'week']} actions={<Ramp />}>
        <HeatMap answer={answer} cohorts={cohorts} onCell={onCell} />
      </Card>
    </>
  );
}

function RetentionLinesCard(props: AnswerCardsProps) {
  const { state, answer, onCell } = props;
  const cohorts = cohortsOf(state, answer);
  const lines = useCohortLines(answer, cohorts);
  return (
    <ChartCard {...props} head={<RetentionHeadline cohorts={cohorts} />} notes={<CohortLegend lines={lines} />}>
      <CohortLines answer={answer} cohorts={cohorts} lines={lines} onCell={onCell} />
    </ChartCard>
  );
}
