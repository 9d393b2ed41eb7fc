import type { ComponentChildren } from 'preact';
import { number } from '../format.ts';
import { zoneOfPage } from '../page-bot.ts';
import { type Catalog, numbersOf } from '../parts/catalog.ts';
import { NO_FILTER } from '../parts/filter.ts';
import { FilterBuilder } from '../parts/filter-builder.tsx';
import { useTyped } from '../parts/typed.ts';
import { fieldName } from './field-name.ts';
import { daysOf, PRESETS } from './period.ts';
import {
  AMOUNT_FIELDS,
  type AmountField,
  aggregationsOf,
  CHARTS,
  COHORT_TYPES,
  COMPARED,
  FUNNEL_ORDERS,
  GRANULARITIES,
  type Metric,
  needsField,
  type ReportState,
  TYPES,
  WINDOW_UNITS,
  withType,
} from './state.ts';
import { words } from './words.ts';

interface BuilderProps {
  readonly bot: string;
  readonly catalog: Catalog;
  readonly state: ReportState;
  readonly onChange: (state: ReportState) => void;
}

/** The form of a report. Each change is a new state, which the page puts into the address. */
export function Builder({ bot, catalog, state, onChange }: BuilderProps) {
  const set = (part: Partial<ReportState>): void => onChange({ ...state, ...part });
  const { type, chart } = state;
  return (
    <form class="builder" onSubmit={(event) => event.preventDefault()}>
      <div class="btns">
        <Choice
          label={words.type}
          value={type}
          of={TYPES}
          names={words.types}
          onChange={(next) => onChange(withType(state, next, CHARTS[next][0]!))}
        />
        {CHARTS[type].length > 1 && (
          <Choice
            label={words.chart}
            value={chart as keyof typeof words.charts}
            of={CHARTS[type] as readonly (keyof typeof words.charts)[]}
            names={words.charts}
            onChange={(next) => onChange(withType(state, type, next))}
          />
        )}
        {type === 'retention' && (
          <Choice
            label={words.chart}
            value={state.retention.view}
            of={['heat', 'lines']}
            names={words.shownAs}
            onChange={(view) => set({ retention: { ...state.retention, view } })}
          />
        )}
        <PeriodPicker state={state} set={set} />
      </div>
      {type !== 'list' && <Metrics bot={bot} catalog={catalog} state={state} set={set} />}
      {type === 'funnels' && <FunnelSettings state={state} set={set} />}
      {type === 'retention' && <RetentionSettings state={state} set={set} />}
      {type === 'list' && <ListSettings catalog={catalog} state={state} set={set} />}
      <fieldset>
        <legend>{words.filters}</legend>
        <FilterBuilder bot={bot} fields={catalog.fields} group={state.filter} onChange={(filter) => set({ filter })} />
      </fieldset>
      {['trends', 'funnels', 'retention'].includes(type) && <Breakdown catalog={catalog} state={state} set={set} />}
    </form>
  );
}

interface PartProps {
  readonly state: ReportState;
  readonly set: (part: Partial<ReportState>) => void;
}

function PeriodPicker({ state, set }: PartProps) {
  const { period, type, granularity, compare } = state;
  const custom = typeof period === 'object' ? period : null;
  const overTime = type === 'trends' || type === 'utm' || type === 'retention';
  return (
    <>
      <Choice
        label={words.period}
        value={custom === null ? (period as (typeof PRESETS)[number]) : 'custom'}
        of={[...PRESETS, 'custom']}
        names={words.periods}
        onChange={(next) => set({ period: next === 'custom' ? daysOf('today', zoneOfPage(), new Date()) : next })}
      />
      {custom !== null && (
        <>
          <DayInput label={words.from} value={custom.from} onChange={(from) => set({ period: { ...custom, from } })} />
          <DayInput label={words.to} value={custom.to} onChange={(to) => set({ period: { ...custom, to } })} />
        </>
      )}
      {overTime && (
        <Choice
          label={words.by}
          value={granularity}
          of={type === 'retention' ? (['day', 'week'] as const) : GRANULARITIES}
          names={words.granularities}
          onChange={(next) => set({ granularity: next })}
        />
      )}
      {COMPARED.includes(type) && (
        <label class="check">
          <input
            type="checkbox"
            checked={compare}
            onChange={(event) => set({ compare: event.currentTarget.checked })}
          />
          {words.compare}
        </label>
      )}
    </>
  );
}

function DayInput({ label, value, onChange }: { label: string; value: string; onChange: (day: string) => void }) {
  return (
    <label>
      {label}
      <input
        class="input"
        type="date"
        required
        {...useTyped(value, (input) => {
          if (input.value !== '') onChange(input.value);
        })}
      />
    </label>
  );
}

function Metrics({ bot, catalog, state, set }: PartProps & { readonly bot: string; readonly catalog: Catalog }) {
  const { metrics, type, chart } = state;
  const isFunnel = type === 'funnels';
  // A link may name a property that the bot does not have.
  const fields = [
    ...new Set([...AMOUNT_FIELDS, ...numbersOf(catalog), ...metrics.flatMap(({ field }) => field ?? [])]),
  ];
  const least = isFunnel || type === 'retention' ? 2 : 1;
  const change = (index: number, metric: Metric): void => set({ metrics: metrics.with(index, metric) });
  const insert = (index: number): void =>
    set({ metrics: metrics.toSpliced(index, 0, { event: null, name: 'all', agr: metrics.at(-1)?.agr ?? 'total' }) });
  return (
    <fieldset>
      <legend>{isFunnel ? words.steps : words.events}</legend>
      <ol class="metrics">
        {metrics.map((metric, index) => (
          <li key={index}>
            <EventPicker
              label={
                type === 'retention' ? (index === 0 ? words.first : words.returning) : `${words.event} ${index + 1}`
              }
              catalog={catalog}
              metric={metric}
              onChange={(next) => change(index, next)}
            />
            {(type === 'trends' || type === 'utm') && (
              <Choice
                label={words.aggregation}
                value={metric.agr}
                of={aggregationsOf(type, chart)}
                names={words.aggregations}
                onChange={(agr) => {
                  const { field: _, ...rest } = metric;
                  change(index, {
                    ...rest,
                    agr,
                    ...(needsField(agr) ? { field: metric.field ?? AMOUNT_FIELDS[0] } : {}),
                  });
                }}
              />
            )}
            {metric.field !== undefined && needsField(metric.agr) && (
              <Choice
                label={words.field}
                value={metric.field}
                of={fields}
                names={Object.fromEntries(fields.map((name) => [name, fieldName(name)])) as Record<AmountField, string>}
                onChange={(field) => change(index, { ...metric, field })}
              />
            )}
            <FilterBuilder
              bot={bot}
              fields={catalog.fields}
              group={metric.filter ?? NO_FILTER}
              onChange={(filter) => {
                const { filter: _, ...rest } = metric;
                change(index, filter.items.length === 0 ? rest : { ...rest, filter });
              }}
            />
            {metrics.length > least && (
              <button
                type="button"
                class="btn quiet small"
                aria-label={words.remove(metric.name)}
                onClick={() => set({ metrics: metrics.toSpliced(index, 1) })}
              >
                ×
              </button>
            )}
            {isFunnel && index < metrics.length - 1 && (
              <button
                type="button"
                class="insert"
                title={words.insertStep(index + 1)}
                onClick={() => insert(index + 1)}
              >
                +<span class="hidden">{words.insertStep(index + 1)}</span>
              </button>
            )}
          </li>
        ))}
      </ol>
      {type !== 'retention' && (
        <button type="button" class="btn quiet small" onClick={() => insert(metrics.length)}>
          + {isFunnel ? words.addStep : words.addEvent}
        </button>
      )}
    </fieldset>
  );
}

interface EventPickerProps {
  readonly label: string;
  readonly catalog: Catalog;
  readonly metric: Metric;
  readonly onChange: (metric: Metric) => void;
}

/** The bot's events, the most frequent first, each with its count. */
function EventPicker({ label, catalog, metric, onChange }: EventPickerProps) {
  return (
    <label>
      {label}
      <select
        class="input"
        value={metric.event ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const found = catalog.events.find(({ event_id }) => String(event_id) === value);
          onChange({ ...metric, event: found?.event_id ?? null, name: found?.name ?? 'all' });
        }}
      >
        <option value="">{words.allEvents}</option>
        {catalog.events.map(({ event_id, name, count }) => (
          <option key={event_id} value={event_id}>
            {`${name} (${words.count(number(count))})`}
          </option>
        ))}
      </select>
    </label>
  );
}

function FunnelSettings({ state, set }: PartProps) {
  const { funnel } = state;
  return (
    <div class="btns">
      <Choice
        label={words.order}
        value={funnel.order}
        of={FUNNEL_ORDERS}
        names={words.orders}
        onChange={(order) => set({ funnel: { ...funnel, order } })}
      />
      <CountInput
        label={words.window}
        value={funnel.window}
        max={1000}
        onChange={(window) => set({ funnel: { ...funnel, window } })}
      />
      <Choice
        label={words.window}
        hideLabel
        value={funnel.unit}
        of={WINDOW_UNITS}
        names={words.windowUnits}
        onChange={(unit) => set({ funnel: { ...funnel, unit } })}
      />
    </div>
  );
}

function RetentionSettings({ state, set }: PartProps) {
  const { retention } = state;
  return (
    <div class="btns">
      <Choice
        label={words.cohorts}
        value={retention.cohorts}
        of={COHORT_TYPES}
        names={words.cohortTypes}
        onChange={(cohorts) => set({ retention: { ...retention, cohorts } })}
      />
      <CountInput
        label={words.intervals}
        value={retention.intervals}
        max={60}
        onChange={(intervals) => set({ retention: { ...retention, intervals } })}
      />
    </div>
  );
}

function ListSettings({ catalog, state, set }: PartProps & { readonly catalog: Catalog }) {
  const { list } = state;
  return (
    <fieldset>
      <legend>{words.columns}</legend>
      <FieldChips
        chosen={list.columns}
        fields={catalog.fields.map(({ name }) => name)}
        label={words.columns}
        onChange={(columns) => columns.length > 0 && set({ list: { ...list, columns } })}
      />
      <CountInput
        label={words.limit}
        value={list.limit}
        max={1000}
        onChange={(limit) => set({ list: { ...list, limit } })}
      />
    </fieldset>
  );
}

function Breakdown({ catalog, state, set }: PartProps & { readonly catalog: Catalog }) {
  return (
    <fieldset>
      <legend>{words.breakdown}</legend>
      <FieldChips
        chosen={state.breakdown}
        fields={catalog.fields.filter(({ separator }) => separator).map(({ name }) => name)}
        label={words.addBreakdown}
        onChange={(breakdown) => set({ breakdown })}
      />
    </fieldset>
  );
}

interface FieldChipsProps {
  readonly chosen: readonly string[];
  readonly fields: readonly string[];
  readonly label: string;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Chosen fields, each with a button that removes it, and a list to add one. */
function FieldChips({ chosen, fields, label, onChange }: FieldChipsProps) {
  return (
    <span class="chips">
      {chosen.map((name) => (
        <span class="chip" key={name}>
          {name}
          <button
            type="button"
            class="btn quiet small"
            aria-label={words.remove(name)}
            onClick={() => onChange(chosen.filter((other) => other !== name))}
          >
            ×
          </button>
        </span>
      ))}
      <select
        class="input"
        aria-label={label}
        value=""
        onChange={({ currentTarget }) => {
          const name = currentTarget.value;
          currentTarget.value = '';
          if (name !== '') onChange([...chosen, name]);
        }}
      >
        <option value="">+ {label}</option>
        {fields
          .filter((name) => !chosen.includes(name))
          .map((name) => (
            <option key={name}>{name}</option>
          ))}
      </select>
    </span>
  );
}

interface ChoiceProps<Name extends string> {
  readonly label: string;
  readonly hideLabel?: boolean;
  readonly value: Name;
  readonly of: readonly Name[];
  readonly names: Readonly<Record<Name, string>>;
  readonly onChange: (value: Name) => void;
}

function Choice<Name extends string>({ label, hideLabel, value, of, names, onChange }: ChoiceProps<Name>) {
  return (
    <label>
      <span class={hideLabel === true ? 'hidden' : undefined}>{label}</span>
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value as Name)}>
        {of.map((name) => (
          <option key={name} value={name}>
            {names[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

interface CountInputProps {
  readonly label: ComponentChildren;
  readonly value: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}

function CountInput({ label, value, max, onChange }: CountInputProps) {
  return (
    <label>
      {label}
      <input
        class="input"
        type="number"
        min={1}
        max={max}
        {...useTyped(value, (input) => {
          if (input.checkValidity() && input.value !== '') onChange(input.valueAsNumber);
        })}
      />
    </label>
  );
}
