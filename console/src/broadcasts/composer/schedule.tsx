import type { Detail } from '../../api.ts';
import { type Draft, isPast } from './draft.ts';
import { Problems } from './problems.tsx';
import { words } from './words.ts';

interface ScheduleProps {
  readonly draft: Draft;
  readonly zone: string;
  readonly problems: readonly Detail[];
  readonly set: (part: Partial<Draft>) => void;
}

/** The time of a broadcast, and its speed. */
export function Schedule({ draft, zone, problems, set }: ScheduleProps) {
  return (
    <fieldset>
      <legend>{words.sending}</legend>
      <div class="stack">
        <label>
          {words.sendAt(zone)}
          <input
            class="input"
            type="datetime-local"
            value={draft.date}
            onInput={(event) => set({ date: event.currentTarget.value })}
          />
        </label>
        {isPast(draft) && <p class="warning">{words.past}</p>}
        <Problems of={problems} at="date_send" />
        <label>
          {words.cap}
          <input
            class="input"
            inputMode="numeric"
            size={5}
            value={draft.cap}
            onInput={(event) => set({ cap: event.currentTarget.value.trim() })}
          />
        </label>
        <Problems of={problems} at="settings.intervalCap" />
        <label>
          <input
            type="checkbox"
            checked={draft.stop}
            onChange={(event) => set({ stop: event.currentTarget.checked })}
          />
          {words.stop}
        </label>
        {!draft.stop && (
          <label>
            {words.extraDelay}
            <input
              class="input"
              inputMode="numeric"
              size={7}
              value={draft.extraDelay}
              onInput={(event) => set({ extraDelay: event.currentTarget.value.trim() })}
            />
          </label>
        )}
        <Problems of={problems} at="settings.rateLimitOnError" />
      </div>
    </fieldset>
  );
}
