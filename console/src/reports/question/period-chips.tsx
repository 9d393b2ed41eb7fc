import { dayName } from '../../format.ts';
import { zoneOfPage } from '../../page-bot.ts';
import { Icon } from '../../parts/icon.tsx';
import { useTyped } from '../../parts/typed.ts';
import { type Days, daysOf, type Period, PRESETS } from '../period.ts';
import { COMPARED, GRANULARITIES, type ReportState } from '../state.ts';
import { words } from '../words.ts';
import { Chip, ChoiceChip, Word } from './chip.tsx';

/** Charts that have no steps of time. */
const TOTALS = ['table', 'number', 'pie'];

interface PeriodChipsProps {
  readonly state: ReportState;
  readonly set: (part: Partial<ReportState>) => void;
}

/** When: the period, its steps, and what it is compared with. */
export function PeriodChips({ state, set }: PeriodChipsProps) {
  const { period, type, granularity, compare, chart } = state;
  const overTime = (type === 'trends' && !TOTALS.includes(chart)) || (type === 'utm' && chart === 'utm_trends');
  return (
    <>
      <Word>{words.question.inThe}</Word>
      <PeriodChip period={period} onChange={(next) => set({ period: next })} />
      {overTime && (
        <>
          <Word>{words.question.by}</Word>
          <ChoiceChip
            label={words.by}
            value={granularity}
            of={GRANULARITIES}
            names={words.granularities}
            onChange={(next) => set({ granularity: next })}
          />
        </>
      )}
      {COMPARED.includes(type) &&
        (compare ? (
          <span class="chip">
            <span class="tag">
              <span class="op">{words.question.against}</span> <b>{beforeText(period)}</b>
            </span>
            <button type="button" class="x" aria-label={words.doNotCompare} onClick={() => set({ compare: false })}>
              <Icon name="close" />
            </button>
          </span>
        ) : (
          <button type="button" class="chip add tag" onClick={() => set({ compare: true })}>
            <Icon name="plus" /> {words.compare}
          </button>
        ))}
    </>
  );
}

const beforeText = (period: Period): string => words.periodsBefore[typeof period === 'string' ? period : 'custom'];

/** The period in words. */
export const periodText = (period: Period): string =>
  typeof period === 'string'
    ? words.periods[period]
    : [...new Set([dayName(period.from), dayName(period.to)])].join(' – ');

interface PeriodChipProps {
  readonly period: Period;
  readonly onChange: (period: Period) => void;
}

function PeriodChip({ period, onChange }: PeriodChipProps) {
  const days: Days = typeof period === 'object' ? period : daysOf(period, zoneOfPage(), new Date());
  return (
    <Chip
      label={words.period}
      edit={(close) => (
        <div class="range">
          <div class="presets">
            {PRESETS.map((preset) => (
              <button
                key={preset}
                type="button"
                class={preset === period ? 'option is-active' : 'option'}
                aria-pressed={preset === period}
                onClick={() => {
                  close();
                  onChange(preset);
                }}
              >
                {words.periods[preset]}
              </button>
            ))}
          </div>
          <div class="calendar stack">
            <DayInput
              label={words.from}
              value={days.from}
              max={days.to}
              onChange={(from) => onChange({ ...days, from })}
            />
            <DayInput label={words.to} value={days.to} min={days.from} onChange={(to) => onChange({ ...days, to })} />
            <p class="quiet-text small-text">{words.zone(zoneOfPage())}</p>
          </div>
        </div>
      )}
    >
      <Icon name="calendar" />
      <b>{typeof period === 'string' ? words.inPeriod[period] : periodText(period)}</b>
      <Icon name="down" />
    </Chip>
  );
}

interface DayInputProps {
  readonly label: string;
  readonly value: string;
  readonly min?: string;
  readonly max?: string;
  readonly onChange: (day: string) => void;
}

function DayInput({ label, value, min, max, onChange }: DayInputProps) {
  return (
    <label class="field">
      {label}
      <input
        class="input"
        type="date"
        required
        min={min}
        max={max}
        {...useTyped(value, (input) => {
          if (input.value !== '' && input.checkValidity()) onChange(input.value);
        })}
      />
    </label>
  );
}
