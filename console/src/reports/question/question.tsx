import type { IconName } from '../../parts/icon.tsx';
import { areMixed } from '../lines.ts';
import {
  CHARTS,
  COHORT_TYPES,
  FUNNEL_ORDERS,
  mostMetrics,
  type ReportState,
  type ReportType,
  TYPES,
  WINDOW_UNITS,
  withType,
} from '../state.ts';
import { words } from '../words.ts';
import { ChoiceChip, Word } from './chip.tsx';
import { CountChip } from './count-chip.tsx';
import { CountedChip, EventChip, EventChips, type PartProps } from './event-chips.tsx';
import { FieldChips, FilterChips } from './filter-chips.tsx';
import { PeriodChips } from './period-chips.tsx';

interface QuestionProps extends Omit<PartProps, 'set'> {
  readonly onChange: (state: ReportState) => void;
  /** Says that another type has no place for some events: the state as it was. */
  readonly onDrop: (before: ReportState) => void;
}

const ICONS: Readonly<Record<ReportType, IconName>> = {
  trends: 'report',
  utm: 'referral',
  funnels: 'filter',
  retention: 'retry',
  list: 'table',
};

/** The question of a report as one sentence of chips. Each change is a new state, which the page puts into the address. */
export function Question({ bot, catalog, state, onChange, onDrop }: QuestionProps) {
  const part: PartProps = { bot, catalog, state, set: (changes) => onChange({ ...state, ...changes }) };
  const { type } = state;
  return (
    <section class="question" aria-label={words.theQuestion}>
      <div class="chips">
        <ChoiceChip
          label={words.type}
          value={type}
          of={TYPES}
          names={words.types}
          icon={ICONS[type]}
          onChange={(next) => {
            if (state.metrics.length > mostMetrics(next)) onDrop(state);
            onChange(withType(state, next, CHARTS[next][0]!));
          }}
        />
        {(type === 'trends' || type === 'utm') && <Trend {...part} />}
        {type === 'funnels' && <Funnel {...part} />}
        {type === 'retention' && <Retention {...part} />}
        {type === 'list' && <List {...part} />}
        <FilterChips {...part} />
        {type !== 'utm' && type !== 'list' && <Split {...part} />}
        <PeriodChips state={state} set={part.set} />
      </div>
    </section>
  );
}

function Trend(props: PartProps) {
  const { metrics } = props.state;
  const people = !areMixed(props.state) && metrics[0]?.agr.startsWith('total_uniq') === true;
  return (
    <>
      <Word>{words.question.of}</Word>
      <CountedChip {...props} />
      {!areMixed(props.state) && <Word>{people ? words.question.whoDid : words.question.of}</Word>}
      <EventChips {...props} />
    </>
  );
}

function Funnel(props: PartProps) {
  const { funnel } = props.state;
  const set = (changes: Partial<ReportState['funnel']>): void => props.set({ funnel: { ...funnel, ...changes } });
  return (
    <>
      <Word>{words.question.ofPeopleWhoDid}</Word>
      <EventChips {...props} />
      <Word>{words.question.within}</Word>
      <CountChip
        label={words.window}
        value={funnel.window}
        max={1000}
        text={`${funnel.window} ${words.windowUnits[funnel.unit]}`}
        onChange={(window) => set({ window })}
      >
        <ChoiceChip
          label={words.unit}
          value={funnel.unit}
          of={WINDOW_UNITS}
          names={words.windowUnits}
          onChange={(unit) => set({ unit })}
        />
      </CountChip>
      <ChoiceChip
        label={words.order}
        value={funnel.order}
        of={FUNNEL_ORDERS}
        names={words.orders}
        onChange={(order) => set({ order })}
      />
    </>
  );
}

function Retention(props: PartProps) {
  const { retention, granularity } = props.state;
  return (
    <>
      <Word>{words.question.ofPeopleWhose}</Word>
      <ChoiceChip
        label={words.cohorts}
        value={retention.cohorts}
        of={COHORT_TYPES}
        names={words.cohortTypes}
        onChange={(cohorts) => props.set({ retention: { ...retention, cohorts } })}
      />
      <EventChip {...props} index={0} label={words.first} />
      <Word>{words.question.andWhoDid}</Word>
      <EventChip {...props} index={1} label={words.returning} />
      <Word>{words.question.inALater}</Word>
      <ChoiceChip
        label={words.by}
        value={granularity}
        of={['day', 'week']}
        names={words.granularities}
        onChange={(next) => props.set({ granularity: next })}
      />
      <CountChip
        label={words.intervals}
        value={retention.intervals}
        max={60}
        text={words.intervalsOf(retention.intervals, granularity)}
        onChange={(intervals) => props.set({ retention: { ...retention, intervals } })}
      />
    </>
  );
}

function List(props: PartProps) {
  const { list } = props.state;
  return (
    <>
      <Word>{words.question.ofTheFirst}</Word>
      <CountChip
        label={words.limit}
        value={list.limit}
        max={1000}
        text={words.rowCount(list.limit)}
        onChange={(limit) => props.set({ list: { ...list, limit } })}
      />
      <Word>{words.question.with}</Word>
      <FieldChips
        chosen={list.columns}
        fields={props.catalog.fields}
        label={words.addColumn}
        least={1}
        onChange={(columns) => props.set({ list: { ...list, columns } })}
      />
    </>
  );
}

function Split({ catalog, state, set }: PartProps) {
  return (
    <>
      {state.breakdown.length > 0 && <Word>{words.question.splitBy}</Word>}
      <FieldChips
        chosen={state.breakdown}
        fields={catalog.fields.filter(({ separator }) => separator)}
        label={words.addBreakdown}
        onChange={(breakdown) => set({ breakdown })}
      />
    </>
  );
}
