import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { go, here } from '../address.ts';
import { dayName } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Popover } from '../parts/popover.tsx';
import { Seg } from '../parts/seg.tsx';
import type { Days } from '../reports/period.ts';
import { periodOfPage } from './period-of-page.ts';
import { comparedSpans, MOST_DAYS, periodText } from './span.ts';
import { words } from './words.ts';

interface PeriodChoiceProps {
  readonly zone: string;
  /** The moment up to which the service has counted. */
  readonly now: Date;
}

/** Chooses the period of the dashboard: a usual one, or two dates. */
export function PeriodChoice({ zone, now }: PeriodChoiceProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = useSignal(false);
  const period = periodOfPage();
  const { days } = comparedSpans(period, zone, now);
  const { days: today } = comparedSpans('today', zone, now);
  const close = (): void => {
    isOpen.value = false;
  };
  return (
    <>
      <Seg
        label={words.period}
        value={typeof period === 'string' ? period : undefined}
        of={words.periods}
        onPick={(picked) => go(here({ period: picked === '30d' ? '' : picked }))}
      />
      <button
        ref={opener}
        type="button"
        class="btn"
        aria-haspopup="dialog"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Icon name="calendar" /> {[...new Set([days.from, days.to].map((day) => dayName(day)))].join(' – ')}
        <Icon name="down" />
      </button>
      {isOpen.value && (
        <Popover opener={opener.current!} onClose={close}>
          <RangeForm
            days={days}
            last={today.to}
            onPick={(range) => {
              close();
              opener.current?.focus();
              go(here({ period: periodText(range) }));
            }}
          />
        </Popover>
      )}
    </>
  );
}

interface RangeFormProps {
  readonly days: Days;
  /** The last day that can be chosen. */
  readonly last: string;
  readonly onPick: (days: Days) => void;
}

function RangeForm({ days, last, onPick }: RangeFormProps) {
  const problem = useSignal('');
  return (
    <form
      class="range"
      aria-label={words.ownRange}
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const [from, to] = ['from', 'to'].map((name) => String(form.get(name))) as [string, string];
        const count = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
        if (from > to) problem.value = words.wrongRange;
        else if (count > MOST_DAYS) problem.value = words.longRange(MOST_DAYS);
        else onPick({ from, to });
      }}
    >
      <label class="field">
        {words.firstDay}
        <input class="input" type="date" name="from" required max={last} defaultValue={days.from} />
      </label>
      <label class="field">
        {words.lastDay}
        <input class="input" type="date" name="to" required max={last} defaultValue={days.to} />
      </label>
      {problem.value !== '' && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <button type="submit" class="btn primary">
        {words.showRange}
      </button>
    </form>
  );
}
