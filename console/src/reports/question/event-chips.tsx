import { type Catalog, numbersOf } from '../../parts/catalog.ts';
import { eventOptions } from '../../parts/event-options.ts';
import { NO_FILTER } from '../../parts/filter.ts';
import { FilterBuilder } from '../../parts/filter-builder.tsx';
import { Picker, type PickerOption } from '../../parts/picker.tsx';
import { amountName, areMixed, countedName, eventName } from '../lines.ts';
import {
  type AggregationName,
  AMOUNT_FIELDS,
  type AmountField,
  aggregationsOf,
  type Metric,
  needsField,
  type ReportState,
} from '../state.ts';
import { words } from '../words.ts';
import { AddChip, Chip, Word } from './chip.tsx';

export interface PartProps {
  readonly bot: string;
  readonly catalog: Catalog;
  readonly state: ReportState;
  readonly set: (part: Partial<ReportState>) => void;
}

/** The value of any event in a picker; ids are numbers. */
const ANY = 'any';

/** The events of the bot, and any of them. @param event the one that is chosen */
const optionsOf = ({ events }: Catalog, event?: number | null): readonly PickerOption[] => [
  { value: ANY, label: words.allEvents },
  ...eventOptions(events, event),
];

function chosen({ events }: Catalog, value: string): Pick<Metric, 'event' | 'name'> {
  const found = events.find(({ event_id }) => String(event_id) === value);
  return { event: found?.event_id ?? null, name: found?.name ?? 'all' };
}

/** The event that is counted, which is the one with the id, whatever a link calls it. */
function nameOf({ events }: Catalog, { event, name }: Metric): string {
  return eventName(events.find(({ event_id }) => event_id === event)?.name ?? name, event);
}

/** The aggregation of all metrics, where they are counted alike. */
export function CountedChip({ state, set, catalog }: PartProps) {
  const { metrics, type, chart } = state;
  const [first] = metrics;
  if (first === undefined || areMixed(state)) return null;
  const change = (part: Pick<Metric, 'agr'> & Partial<Metric>): void =>
    set({ metrics: metrics.map((metric) => ({ ...metric, ...part })) });
  return (
    <>
      <span class="chip">
        <CountedPicker metric={first} type={type} chart={chart} onChange={change} look="" />
      </span>
      {needsField(first.agr) && (
        <span class="chip">
          <FieldPicker
            catalog={catalog}
            state={state}
            metric={first}
            onChange={(field) => change({ agr: first.agr, field })}
            look=""
          />
        </span>
      )}
    </>
  );
}

interface CountedPickerProps {
  readonly metric: Metric;
  readonly type: ReportState['type'];
  readonly chart: string;
  readonly onChange: (part: Pick<Metric, 'agr'> & Partial<Metric>) => void;
  readonly look?: string;
}

function CountedPicker({ metric, type, chart, onChange, ...look }: CountedPickerProps) {
  return (
    <Picker
      label={words.aggregation}
      value={metric.agr}
      options={(aggregationsOf(type, chart) ?? []).map((agr) => ({ value: agr, label: words.aggregations[agr] }))}
      onPick={(picked) => {
        const agr = picked as AggregationName;
        onChange(needsField(agr) ? { agr, field: metric.field ?? AMOUNT_FIELDS[0] } : { agr });
      }}
      {...look}
    />
  );
}

interface FieldPickerProps extends Pick<PartProps, 'catalog' | 'state'> {
  readonly metric: Metric;
  readonly onChange: (field: AmountField) => void;
  readonly look?: string;
}

/** The amounts and numbers of events. A link may name a property that the bot does not have. */
function FieldPicker({ catalog, state, metric, onChange, ...look }: FieldPickerProps) {
  const fields = [
    ...new Set([...AMOUNT_FIELDS, ...numbersOf(catalog), ...state.metrics.flatMap(({ field }) => field ?? [])]),
  ];
  return (
    <Picker
      label={words.field}
      value={metric.field ?? ''}
      options={fields.map((field) => ({ value: field, label: amountName(field), small: field }))}
      onPick={(field) => onChange(field as AmountField)}
      {...look}
    />
  );
}

interface EventChipProps extends PartProps {
  readonly index: number;
  /** The place of the event in the question, such as `Step 2`. */
  readonly label: string;
}

/** An event of the question: which one, what is counted, and conditions for it alone. */
export function EventChip({ bot, catalog, state, set, index, label }: EventChipProps) {
  const { metrics, type, chart } = state;
  const metric = metrics[index]!;
  const least = type === 'funnels' || type === 'retention' ? 2 : 1;
  const counts = type === 'trends' || type === 'utm';
  const change = (next: Metric): void => set({ metrics: metrics.with(index, next) });
  const filters = metric.filter?.items.length ?? 0;
  return (
    <Chip
      label={label}
      onRemove={metrics.length > least ? () => set({ metrics: metrics.toSpliced(index, 1) }) : undefined}
      edit={() => (
        <div class="stack">
          <Row label={words.event}>
            <Picker
              label={words.event}
              value={metric.event === null ? ANY : String(metric.event)}
              options={optionsOf(catalog, metric.event)}
              onPick={(value) => change({ ...metric, ...chosen(catalog, value) })}
            />
          </Row>
          {counts && (
            <Row label={words.aggregation}>
              <CountedPicker
                metric={metric}
                type={type}
                chart={chart}
                onChange={(part) => change({ ...metric, ...part })}
              />
              {needsField(metric.agr) && (
                <FieldPicker
                  catalog={catalog}
                  state={state}
                  metric={metric}
                  onChange={(field) => change({ ...metric, field })}
                />
              )}
            </Row>
          )}
          <FilterBuilder
            bot={bot}
            fields={catalog.fields}
            group={metric.filter ?? NO_FILTER}
            onChange={(filter) => {
              const { filter: _, ...rest } = metric;
              change(filter.items.length === 0 ? rest : { ...rest, filter });
            }}
          />
        </div>
      )}
    >
      {counts && metrics.length > 1 && <span class={`key k${(index % 10) + 1}`} />}
      {type === 'funnels' && <span class="quiet-text">{index + 1}</span>}
      <b title={metric.name}>{nameOf(catalog, metric)}</b>
      {counts && areMixed(state) && <span class="op">{countedName(metric)}</span>}
      {filters > 0 && <span class="op">{words.withFilters(filters)}</span>}
    </Chip>
  );
}

function Row({ label, children }: { readonly label: string; readonly children: preact.ComponentChildren }) {
  return (
    <div class="field">
      <span class="small-text">{label}</span>
      <span class="btns">{children}</span>
    </div>
  );
}

/** The events of a trend, or the steps of a funnel, and a place for one more. */
export function EventChips(props: PartProps) {
  const { catalog, state, set } = props;
  const { metrics, type } = state;
  const isFunnel = type === 'funnels';
  return (
    <>
      {metrics.map((_, index) => (
        <>
          {isFunnel && index > 0 && <Word>{words.question.andThen}</Word>}
          <EventChip
            key={index}
            {...props}
            index={index}
            label={isFunnel ? words.stepNo(index + 1) : words.eventNo(index + 1)}
          />
        </>
      ))}
      <AddChip
        label={isFunnel ? words.addStep : words.addEvent}
        icon="plus"
        isShort
        options={optionsOf(catalog)}
        onPick={(value) => {
          const { filter: _, ...last } = metrics.at(-1) ?? { agr: 'total' as const };
          set({ metrics: [...metrics, { ...last, ...chosen(catalog, value) }] });
        }}
      />
    </>
  );
}
