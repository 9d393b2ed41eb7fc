import { useSignal } from '@preact/signals';
import type { Detail } from '../../api.ts';
import { dayName, duration, utcOf } from '../../format.ts';
import { Seg } from '../../parts/seg.tsx';
import { type Draft, isPast } from './draft.ts';
import { Problems } from './problems.tsx';
import { words } from './words.ts';

interface ScheduleProps {
  readonly draft: Draft;
  readonly zone: string;
  /** Recipients; undefined: not known. */
  readonly count: number | undefined;
  readonly problems: readonly Detail[];
  readonly set: (part: Partial<Draft>) => void;
}

/** The time of a broadcast, and its speed. */
export function Schedule({ draft, zone, count, problems, set }: ScheduleProps) {
  const hasTime = useSignal(draft.date !== '');
  const seconds = count === undefined ? null : Math.ceil(count / Math.max(1, Number(draft.cap) || 1));
  return (
    <div class="two">
      <div class="field">
        <span class="label">{words.when}</span>
        <Seg
          label={words.when}
          value={hasTime.value ? 'time' : 'once'}
          of={{ once: words.atOnce, time: words.atTime }}
          onPick={(picked) => {
            hasTime.value = picked === 'time';
            if (picked === 'once') set({ date: '' });
          }}
        />
      </div>
      <div class="field">
        {(hasTime.value || draft.date !== '') && (
          <>
            <label for="send-at">{words.sendAt(zone)}</label>
            <input
              id="send-at"
              class="input"
              type="datetime-local"
              value={draft.date}
              onInput={(event) => set({ date: event.currentTarget.value })}
            />
            {isPast(draft) ? (
              <span class="hint warning">{words.past}</span>
            ) : (
              draft.date !== '' && <span class="hint">{untilThen(draft.date)}</span>
            )}
            <Problems of={problems} at="date_send" />
          </>
        )}
      </div>
      <div class="field">
        <label for="cap">{words.cap}</label>
        <input
          id="cap"
          class="input"
          inputMode="numeric"
          value={draft.cap}
          onInput={(event) => set({ cap: event.currentTarget.value.trim() })}
        />
        {seconds !== null && seconds > 0 && <span class="hint">{words.takes(duration(seconds))}</span>}
        <Problems of={problems} at="settings.intervalCap" />
      </div>
      <div class="field">
        <span class="label">{words.onLimit}</span>
        <Seg
          label={words.onLimit}
          value={draft.stop ? 'stop' : 'slower'}
          of={{ stop: words.stop, slower: words.slower }}
          onPick={(picked) => set({ stop: picked === 'stop' })}
        />
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
    </div>
  );
}

function untilThen(local: string): string {
  const at = Date.parse(`${utcOf(local.replace('T', ' ').padEnd(19, ':00')).replace(' ', 'T')}Z`);
  return Number.isNaN(at) ? '' : words.sendIn(dayName(local, true), duration((at - Date.now()) / 1000));
}
