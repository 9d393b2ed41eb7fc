import { signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { address, go, href } from '../../address.ts';
import { type Detail, request, sendChange } from '../../api.ts';
import { date, duration, number } from '../../format.ts';
import { useAttempt } from '../../parts/attempt.ts';
import { type Field, loadCatalog, reportName } from '../../parts/catalog.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useLoad } from '../../parts/load.ts';
import { type Bot, session } from '../../session.ts';
import type { BotRow } from '../../settings/bot.tsx';
import { texts } from '../../texts.ts';
import type { Broadcast } from '../broadcast.ts';
import { AudienceEditor, audienceFacts, type Names } from './audience-editor.tsx';
import { messageOf } from './content.ts';
import { bodyOf, changesOf, type Draft, draftOf, isElsewhere, isPast, NEW, unsaved } from './draft.ts';
import { Facts } from './facts.tsx';
import { MessageEditor } from './message-editor.tsx';
import { type MessagePreview, Preview } from './preview.tsx';
import { NoToken, Problems, Refused } from './problems.tsx';
import { Schedule } from './schedule.tsx';
import { segmentationsOf } from './segments.ts';
import { useSettled } from './settled.ts';
import { TestSend } from './test-send.tsx';
import { words } from './words.ts';

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

/** The answer to the last save, for the draft that it made or changed. */
const told = signal<{ readonly place: string; readonly warnings: readonly Detail[] } | null>(null);

/** A draft from the first word to the launch. */
export function Composer({ bot, broadcast, onChanged }: ComposerProps) {
  const key = bot.resource_key;
  const id = broadcast?.id ?? null;
  const place = `${key} ${id ?? 'new'}`;
  const first = useRef<Draft>(broadcast === null ? NEW : draftOf(broadcast)).current;
  const draft = useSignal(unsaved.get(place)?.draft ?? first);
  /** The draft as it was loaded or saved last: only what differs from it is saved. */
  const base = useRef(unsaved.get(place)?.base ?? first);
  /** The draft of the service, if it was changed elsewhere. */
  const elsewhere = useSignal<Draft | null>(null);
  const attempt = useAttempt();
  const { error, busy, run } = attempt;
  const asked = useSignal(false);

  function set(part: Partial<Draft>): void {
    draft.value = { ...draft.value, ...part };
    unsaved.set(place, { draft: draft.value, base: base.current });
    told.value = null;
  }
  function show(loaded: Draft): void {
    draft.value = base.current = loaded;
    elsewhere.value = null;
    unsaved.delete(place);
  }

  const names = useLoad(() => (signal) => loadNames(key, signal));
  const message = useSettled(
    useComputed(() =>
      JSON.stringify({ type: draft.value.type, message: messageOf(draft.value.type, draft.value.content) }),
    ),
  );
  const preview = useLoad(
    () => {
      const body = JSON.parse(message.value);
      return (signal) => request<MessagePreview>('/v1/broadcast/preview', { method: 'POST', bot: key, body, signal });
      // A preview stays while its next letter is on the way.
    },
    { keep: true },
  );
  const audience = useSettled(useComputed(() => JSON.stringify(segmentationsOf(draft.value.audience))));
  const size = useLoad<Size>(() => {
    const segmentations = JSON.parse(audience.value);
    if (segmentations.include.length === 0) return null;
    const body = { segmentations, ...(id === null ? {} : { task_id: id }) };
    return (signal) => request('/v1/broadcast/audience-size', { method: 'POST', bot: key, body, signal });
  });

  const shown = preview.loaded.value.data;
  const { data: sized, error: unsized } = size.loaded.value;
  const problems: readonly Detail[] = [
    ...(shown?.problems ?? []),
    ...(unsized?.details ?? []),
    ...(error.value?.details ?? []),
  ];
  const current = draft.value;

  /** @returns the id of the saved draft; null: it was changed elsewhere */
  async function save(overwrite = false): Promise<number | null> {
    const given = draft.value;
    if (id !== null && !overwrite) {
      const theirs = draftOf(await request<Broadcast>(`/v1/broadcast/get?id=${id}`, { bot: key }));
      elsewhere.value = isElsewhere({ draft: given, base: base.current }, theirs) ? theirs : null;
      if (elsewhere.value !== null) return null;
    }
    const body = id === null ? { ...bodyOf(given), type: given.type } : { id, ...changesOf(base.current, given) };
    const method = id === null ? 'create' : 'save';
    const { data, warnings = [] } = await sendChange<Broadcast>(`/v1/broadcast/${method}`, body, key);
    base.current = draftOf(data);
    if (overwrite) show(base.current);
    else if (draft.value === given) unsaved.delete(place);
    told.value = { place: `${key} ${data.id}`, warnings };
    return data.id;
  }

  const saveDraft = (overwrite = false): Promise<void> =>
    run(async () => {
      const known = await save(overwrite);
      if (known === null) return;
      if (id === null) go(href('/broadcasts', { bot: key, id: String(known) }), { replace: true });
      else onChanged();
    });

  const ask = (): Promise<void> =>
    run(async () => {
      const known = await save();
      if (known === null) return;
      // A new draft is opened under its id first: its launch belongs to it.
      if (id === null) go(href('/broadcasts', { bot: key, id: String(known), launch: '1' }), { replace: true });
      else {
        // The number beside the editor may be old.
        size.loaded.value = { data: undefined, error: undefined, loading: true };
        size.reload();
        asked.value = true;
      }
    });

  useEffect(() => {
    if (id === null || address.peek().query.get('launch') === null) return;
    go(href('/broadcasts', { bot: key, id: String(id) }), { replace: true });
    asked.value = true;
  }, []);

  const launch = (): Promise<void> =>
    run(async () => {
      try {
        await sendChange('/v1/broadcast/activate', { id }, key);
        unsaved.delete(place);
      } finally {
        asked.value = false;
        // Without an answer it may have been launched all the same.
        onChanged();
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
          <label class="full">
            {words.name}
            <input
              class="input"
              value={current.name}
              maxLength={250}
              onInput={(event) => set({ name: event.currentTarget.value })}
            />
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
                  <span class="quiet-text">{words.asOf(date(sized.data_as_of))}</span>
                </p>
                <p class="quiet-text">{words.blockedCounted}</p>
                <ul class="sample">
                  {sized.sample.map((person) => (
                    <li key={person.chat_id}>{nameOf(person)}</li>
                  ))}
                </ul>
              </>
            )}
            {unsized !== undefined && unsized.status !== 400 && <Failure error={unsized} retry={size.reload} />}
            {current.audience.include.length === 0 && <p class="quiet-text">{words.noAudience}</p>}
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
        <div class="btns">
          <button class="btn" type="submit" disabled={busy.value}>
            {words.save}
          </button>
          <button type="button" class="btn primary" disabled={busy.value} onClick={() => void ask()}>
            {words.launch}
          </button>
          <output>
            {told.value?.place === place && (
              <>
                {words.saved}
                {told.value.warnings.map(({ path, message }) => (
                  <p class="warning" key={path}>
                    {message}
                  </p>
                ))}
              </>
            )}
          </output>
          {elsewhere.value !== null && (
            <p class="warning" role="alert">
              {words.elsewhere}{' '}
              <button class="btn" type="button" onClick={() => elsewhere.value !== null && show(elsewhere.value)}>
                {words.loadOther}
              </button>{' '}
              <button class="btn" type="button" onClick={() => void saveDraft(true)}>
                {words.overwrite}
              </button>
            </p>
          )}
          {names.loaded.value.data?.hasToken === false && <NoToken bot={key} />}
          {error.value !== undefined && <Refused error={error.value} bot={key} />}
        </div>
      </form>
      {asked.value && (
        <Confirm
          question={words.askLaunch}
          action={words.confirm}
          attempt={attempt}
          onYes={launch}
          onNo={() => {
            asked.value = false;
          }}
        >
          <Facts
            of={[
              ...audienceFacts(current.audience),
              [
                words.howMany,
                sized !== undefined
                  ? `${number(sized.count)} ${words.asOf(date(sized.data_as_of))}`
                  : size.loaded.value.loading
                    ? texts.loading
                    : words.notCounted,
              ],
              [
                words.howLong,
                sized === undefined
                  ? '–'
                  : words.estimate(duration(Math.ceil(sized.count / Math.max(1, Number(current.cap) || 1)))),
              ],
              [words.when, current.date === '' ? words.atOnce : date(current.date)],
            ]}
          />
          {isPast(current) && <p class="warning">{words.past}</p>}
        </Confirm>
      )}
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
  const [fields, catalog, bots] = await Promise.all([
    request<Omit<Names, 'known' | 'hasToken'>>('/v1/broadcast/fields', options),
    loadCatalog(bot, signal),
    // Settings answer to keys of owners only.
    session.peek()?.kind === 'owner' ? request<{ items: BotRow[] }>('/v1/settings/bots', options) : null,
  ]);
  // Values are offered for what reports can be broken down by.
  const separators = new Set(catalog.fields.flatMap(({ name, separator }) => (separator ? [name] : [])));
  const offering = (field: Field): Field => ({ ...field, separator: separators.has(reportName(field)) });
  // The custom properties that the bot has, with the operators of audiences.
  const open = fields.events.find(({ name }) => name === 'events.properties.*')!;
  const properties = catalog.fields.flatMap((field) =>
    field.types === undefined ? [] : [{ ...field, operators: open.operators }],
  );
  return {
    users: fields.users.map(offering),
    events: [...fields.events.map(offering), ...properties],
    templates: fields.templates,
    hasToken: bots?.items.find(({ resource_key }) => resource_key === bot)?.has_token,
    known: catalog.events,
  };
}
