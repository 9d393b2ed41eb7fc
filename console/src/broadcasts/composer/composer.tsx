import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { address, go, href } from '../../address.ts';
import { type Detail, request } from '../../api.ts';
import { date, duration, number } from '../../format.ts';
import { useAttempt } from '../../parts/attempt.ts';
import type { Field, KnownEvent } from '../../parts/catalog.ts';
import { Failure } from '../../parts/failure.tsx';
import { useLoad } from '../../parts/load.ts';
import type { Bot } from '../../session.ts';
import { texts } from '../../texts.ts';
import type { Broadcast } from '../broadcast.ts';
import { AudienceEditor, type Names, titleOf } from './audience-editor.tsx';
import { messageOf } from './content.ts';
import { bodyOf, type Draft, draftOf, NEW, unsaved } from './draft.ts';
import { MessageEditor } from './message-editor.tsx';
import { type MessagePreview, Preview } from './preview.tsx';
import { Problems } from './problems.tsx';
import { segmentationsOf } from './segments.ts';
import { useSettled } from './settled.ts';
import { TestSend } from './test-send.tsx';

const words = texts.composer;

export interface ComposerProps {
  readonly bot: Bot;
  /** Null: a new broadcast. */
  readonly broadcast: Broadcast | null;
  readonly onChanged: () => void;
}

interface Size {
  readonly count: number;
  readonly sample: readonly Person[];
  readonly data_as_of: string;
}

interface Person {
  readonly chat_id: number;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly username: string | null;
}

/** A draft from the first word to the launch. */
export function Composer({ bot, broadcast, onChanged }: ComposerProps) {
  const key = bot.resource_key;
  const id = broadcast?.id ?? null;
  const place = `${key} ${id ?? 'new'}`;
  const draft = useSignal<Draft>(unsaved.get(place) ?? (broadcast === null ? NEW : draftOf(broadcast)));
  const saved = useSignal('');
  const { error, busy, run } = useAttempt();
  const dialog = useRef<HTMLDialogElement>(null);
  /** Of a new broadcast: a repeat of the same content under the same key creates no second one. */
  const once = useRef({ body: '', key: '' });

  function set(part: Partial<Draft>): void {
    draft.value = { ...draft.value, ...part };
    unsaved.set(place, draft.value);
    saved.value = '';
  }

  const names = useLoad(() => (signal) => loadNames(key, signal));
  const message = useSettled(
    useComputed(() =>
      JSON.stringify({ type: draft.value.type, message: messageOf(draft.value.type, draft.value.content) }),
    ),
  );
  const preview = useLoad(() => {
    const body = JSON.parse(message.value);
    return (signal) => request<MessagePreview>('/v1/broadcast/preview', { method: 'POST', bot: key, body, signal });
  });
  const audience = useSettled(useComputed(() => JSON.stringify(segmentationsOf(draft.value.audience))));
  const size = useLoad<Size>(() => {
    const segmentations = JSON.parse(audience.value);
    if (segmentations.include.length === 0) return null;
    const body = { segmentations, ...(id === null ? {} : { task_id: id }) };
    return (signal) => request('/v1/broadcast/audience-size', { method: 'POST', bot: key, body, signal });
  });
  // An answer about another audience says nothing of this one.
  useSignalEffect(() => {
    void audience.value;
    size.loaded.value = { ...size.loaded.peek(), data: undefined, error: undefined };
  });

  const shown = preview.loaded.value.data;
  const { data: sized, error: unsized } = size.loaded.value;
  const problems: readonly Detail[] = [
    ...(shown?.problems ?? []),
    ...(unsized?.details ?? []),
    ...(error.value?.details ?? []),
  ];
  const current = draft.value;

  /** @returns the id of the saved draft */
  async function save(): Promise<number> {
    const given = draft.value;
    const body = { ...bodyOf(given), ...(id === null ? { type: given.type } : { id }) };
    const text = JSON.stringify(body);
    if (once.current.body !== text) once.current = { body: text, key: crypto.randomUUID() };
    const method = id === null ? 'create' : 'save';
    const options = { method: 'POST', bot: key, body, idempotencyKey: once.current.key } as const;
    const { id: known } = await request<Broadcast>(`/v1/broadcast/${method}`, options);
    if (draft.value === given) unsaved.delete(place);
    once.current = { body: '', key: '' };
    return known;
  }

  const saveDraft = (): Promise<void> =>
    run(async () => {
      const known = await save();
      saved.value = words.saved;
      if (id === null) go(href('/broadcasts', { bot: key, id: String(known) }), { replace: true });
      else onChanged();
    });

  const ask = (): Promise<void> =>
    run(async () => {
      const known = await save();
      // A new draft is opened under its id first: its launch belongs to it.
      if (id === null) go(href('/broadcasts', { bot: key, id: String(known), launch: '1' }), { replace: true });
      else dialog.current?.showModal();
    });

  useEffect(() => {
    if (id === null || address.peek().query.get('launch') === null) return;
    go(href('/broadcasts', { bot: key, id: String(id) }), { replace: true });
    dialog.current?.showModal();
  }, []);

  const launch = (): Promise<void> =>
    run(async () => {
      try {
        const options = { method: 'POST', bot: key, body: { id }, idempotencyKey: crypto.randomUUID() } as const;
        await request('/v1/broadcast/activate', options);
        unsaved.delete(place);
        onChanged();
      } finally {
        dialog.current?.close();
      }
    });

  return (
    <>
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault();
          void saveDraft();
        }}
      >
        <div>
          <label class="wide">
            {words.name}
            <input value={current.name} maxLength={250} onInput={(event) => set({ name: event.currentTarget.value })} />
          </label>
          <Problems of={problems} at="name" />
          {names.loaded.value.error !== undefined && <Failure error={names.loaded.value.error} retry={names.reload} />}
          <MessageEditor
            type={current.type}
            content={current.content}
            onType={id === null ? (type) => set({ type }) : null}
            onChange={(content) => set({ content })}
            fields={names.loaded.value.data?.templates ?? []}
            preview={shown}
            problems={problems}
          />
          <h2>{words.audience}</h2>
          {names.loaded.value.data !== undefined && (
            <AudienceEditor
              bot={key}
              names={names.loaded.value.data}
              audience={current.audience}
              problems={problems}
              onChange={(next) => set({ audience: next })}
            />
          )}
          <section aria-live="polite" aria-label={words.size}>
            {sized !== undefined && (
              <>
                <p>
                  <strong>{words.count(number(sized.count))}</strong>{' '}
                  <span class="quiet">{words.asOf(date(sized.data_as_of))}</span>
                </p>
                <ul class="sample">
                  {sized.sample.map((person) => (
                    <li key={person.chat_id}>{nameOf(person)}</li>
                  ))}
                </ul>
              </>
            )}
            {unsized !== undefined && unsized.status !== 400 && <Failure error={unsized} retry={size.reload} />}
            {current.audience.include.length === 0 && <p class="quiet">{words.noAudience}</p>}
          </section>
          <Schedule draft={current} zone={bot.timezone} problems={problems} set={set} />
        </div>
        <aside>
          <h2>{words.preview}</h2>
          {preview.loaded.value.error !== undefined && (
            <Failure error={preview.loaded.value.error} retry={preview.reload} />
          )}
          {shown !== undefined && <Preview preview={shown} />}
          <TestSend
            bot={key}
            body={() => ({ type: draft.value.type, message: messageOf(draft.value.type, draft.value.content) })}
          />
        </aside>
        <div class="actions">
          <button type="submit" disabled={busy.value}>
            {words.save}
          </button>
          <button type="button" class="main" disabled={busy.value} onClick={() => void ask()}>
            {words.launch}
          </button>
          <output>{saved.value}</output>
          {error.value !== undefined && <Failure error={error.value} />}
        </div>
      </form>
      <dialog ref={dialog} aria-labelledby="launch-question">
        <h2 id="launch-question">{words.askLaunch}</h2>
        <dl>
          <dt>{words.include}</dt>
          <dd>{current.audience.include.map(titleOf).join('; ') || '–'}</dd>
          {current.audience.exclude.length > 0 && (
            <>
              <dt>{words.exclude}</dt>
              <dd>{current.audience.exclude.map(titleOf).join('; ')}</dd>
            </>
          )}
          <dt>{words.howMany}</dt>
          <dd>{sized === undefined ? words.notCounted : words.countNow(number(sized.count))}</dd>
          <dt>{words.howLong}</dt>
          <dd>
            {sized === undefined
              ? '–'
              : words.estimate(duration(Math.ceil(sized.count / Math.max(1, Number(current.cap) || 1))))}
          </dd>
          <dt>{words.when}</dt>
          <dd>{current.date === '' ? words.atOnce : `${current.date.replace('T', ' ')} ${bot.timezone}`}</dd>
        </dl>
        <button type="button" class="main" disabled={busy.value} onClick={() => void launch()}>
          {words.confirm}
        </button>{' '}
        <button type="button" onClick={() => dialog.current?.close()}>
          {texts.broadcasts.back}
        </button>
      </dialog>
    </>
  );
}

/** A name where there is one, and the id. */
function nameOf({ chat_id, first_name, last_name, username }: Person): string {
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return [name, username === null ? '' : `@${username}`, String(chat_id)].filter(Boolean).join(' · ');
}

async function loadNames(bot: string, signal: AbortSignal): Promise<Names> {
  const options = { bot, signal };
  const [fields, events] = await Promise.all([
    request<Omit<Names, 'known'>>('/v1/broadcast/fields', options),
    request<{ items: KnownEvent[] }>('/v1/reports/events', options),
  ]);
  // Values are offered for separators of reports only.
  const plain = (field: Field): Field => ({ ...field, separator: false });
  return {
    users: fields.users.map(plain),
    events: fields.events.map(plain),
    templates: fields.templates,
    known: events.items.toSorted((a, b) => b.count - a.count),
  };
}

interface ScheduleProps {
  readonly draft: Draft;
  readonly zone: string;
  readonly problems: readonly Detail[];
  readonly set: (part: Partial<Draft>) => void;
}

function Schedule({ draft, zone, problems, set }: ScheduleProps) {
  return (
    <fieldset>
      <legend>{words.sending}</legend>
      <div class="stack">
        <label>
          {words.sendAt(zone)}
          <input
            type="datetime-local"
            value={draft.date}
            onInput={(event) => set({ date: event.currentTarget.value })}
          />
        </label>
        <Problems of={problems} at="date_send" />
        <label>
          {words.cap}
          <input
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
