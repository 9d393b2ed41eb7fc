import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { type Form, formsOf } from './forms.ts';
import { type ReportState, withType } from './state.ts';
import { words } from './words.ts';

interface FormPickerProps {
  readonly state: ReportState;
  readonly onForm?: ((state: ReportState) => void) | undefined;
}

/** The forms that an answer can have. One that does not fit stays there, and says why. */
export function FormPicker({ state, onForm }: FormPickerProps) {
  const reason = useSignal('');
  const id = useId();
  if (onForm === undefined) return null;
  const retention = state.type === 'retention';
  const forms: readonly Form[] = retention ? [{ chart: 'lines' }, { chart: 'heat' }] : formsOf(state);
  if (forms.length < 2) return null;
  const current = retention ? state.retention.view : state.chart;
  const names: Readonly<Record<string, string>> = retention ? words.shownAs : words.charts;
  const choose = (form: Form): void => {
    reason.value = form.reason ?? '';
    if (form.reason !== undefined && form.chart !== current) return;
    if (retention) onForm({ ...state, retention: { ...state.retention, view: form.chart as 'heat' | 'lines' } });
    else onForm(withType(state, state.type, form.chart));
  };
  return (
    <div class="forms">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset brings its own layout */}
      <div class="seg" role="group" aria-label={words.chart}>
        {forms.map((form) => (
          <button
            key={form.chart}
            type="button"
            aria-pressed={form.chart === current}
            aria-disabled={form.reason !== undefined && form.chart !== current}
            aria-describedby={form.reason === undefined ? undefined : `${id}-${form.chart}`}
            title={form.reason}
            onClick={() => choose(form)}
          >
            {names[form.chart]}
            {form.reason !== undefined && (
              <span class="hidden" id={`${id}-${form.chart}`}>
                {form.reason}
              </span>
            )}
          </button>
        ))}
      </div>
      <p role="status" class="quiet-text small-text">
        {reason.value}
      </p>
    </div>
  );
}
