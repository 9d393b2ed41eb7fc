import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { address, go } from '../../address.ts';
import { type Detail, request, sendChange } from '../../api.ts';
import { date, duration, number } from '../../format.ts';
import { useAttempt } from '../../parts/attempt.ts';
import { Card } from '../../parts/card.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useLoad } from '../../parts/load.ts';
import { Picker } from '../../parts/picker.tsx';
import type { Bot } from '../../session.ts';
import type { Broadcast } from '../broadcast.ts';
import { editLink } from '../links.ts';
import { AudienceEditor } from './audience-editor.tsx';
import { AudienceSize, nameOf, type Size, useSize } from './audience-size.tsx';
import { messageOf } from './content.ts';
import { type Draft, isPast, pathOf, type Version } from './draft.ts';
import { LaunchDialog } from './launch-dialog.tsx';
import { MessageEditor, TypePicker } from './message-editor.tsx';
import { loadNames } from './names.ts';
import { type MessagePreview, Preview } from './preview.tsx';
import { NoToken, Problems } from './problems.tsx';
import { SaveBar } from './save-bar.tsx';
import { Schedule } from './schedule.tsx';
import { unfinishedIn } from './segments.ts';
import { useSettled } from './settled.ts';
import { TestSend } from './test-send.tsx';
import { useDraft } from './use-draft.ts';
import { VersionTabs } from './version-tabs.tsx';
import { words } from './words.ts';

export interface ComposerProps {
  readonly bot: Bot;
  /** Null: a new broadcast. */
  readonly broadcast: Broadcast | null;
  readonly onChanged: () => void;
}

/** A draft from the first word to the launch. */
export function Composer({ bot, broadcast, onChanged }: ComposerProps) {
  const key = bot.resource_key;
  const id = broadcast?.id ?? null;
  const open = useDraft(key, broadcast);
  const { draft, set } = open;
  const attempt = useAttempt();
  const asked = useSignal(false);
  const at = useSignal(0);
  const current = draft.value;
  const index = Math.min(at.value, current.versions.length - 1);

  const names = useLoad(() => (signal) => loadNames(key, signal));
  const asUser = useSignal('');
  const preview = usePreview(key, draft, at, asUser);
  const size = useSize(key, id, draft);
  const shown = preview.loaded.value.data;
  const { error: unsized } = size.loaded.value;
  const isUnfinished = unfinishedIn(current.audience).length > 0;
  const sized = isUnfinished ? undefined : size.loaded.value.data;
  const path = pathOf(current, index);
  const person = sized?.sample.find(({ chat_id }) => String(chat_id) === asUser.value);
  const asUserName = person === undefined ? asUser.value || words.firstUser : nameOf(person);
  const problems: readonly Detail[] = [
    ...(shown?.problems ?? []).map((problem) => ({ ...problem, path: problem.path.replace(/^message/, path) })),
    ...(unsized?.details ?? []),
    ...(attempt.error.value?.details ?? []),
    ...(open.saved?.refused?.details ?? []),
  ];
  const setVersions = (versions: readonly Version[], next: number): void => {
    set({ versions });
    at.value = next;
  };

  const saveDraft = (overwrite = false): Promise<void> =>
    attempt.run(async () => {
      const saved = await open.save(overwrite);
      if (saved === null) return;
      if (id === null) go(editLink(key, saved.id), { replace: true });
      else onChanged();
    });

  const ask = (): Promise<void> =>
    attempt.run(async () => {
      const saved = await open.save();
      if (saved === null) return;
      const isWhole = saved.refused === undefined;
      // A new draft is opened under its id first: its launch belongs to it.
      if (id === null) go(editLink(key, saved.id, isWhole ? { launch: '1' } : {}), { replace: true });
      else if (isWhole) {
        // The number beside the editor may be old.
        size.loaded.value = { data: undefined, error: undefined, loading: true };
        size.reload();
        asked.value = true;
      }
    });

  useEffect(() => {
    if (id === null || address.peek().query.get('launch') === null) return;
    go(editLink(key, id), { replace: true });
    asked.value = true;
  }, []);

  const launch = (): Promise<void> =>
    attempt.run(async () => {
      try {
        await sendChange('/v1/broadcast/activate', { id }, key);
        open.forget();
      } finally {
        asked.value = false;
        // Without an answer it may have been launched all the same.
        onChanged();
      }
    });

  return (
    <>
      <form
        class="compose"
        onSubmit={(event) => {
          event.preventDefault();
          void saveDraft();
        }}
      >
        <div class="steps">
          {names.loaded.value.data?.hasToken === false && <NoToken bot={key} />}
          {names.loaded.value.error !== undefined && <Failure error={names.loaded.value.error} retry={names.reload} />}
          <div class="field">
            <label for="name">{words.name}</label>
            <input
              id="name"
              class="input"
              value={current.name}
              maxLength={250}
              onInput={(event) => set({ name: event.currentTarget.value })}
            />
            <Problems of={problems} at="name" />
          </div>
          <Card
            title={<Step number={1} title={words.message} />}
            actions={<TypePicker type={current.type} onType={(type) => set({ type })} />}
          >
            <div class="stack">
              <VersionTabs
                draft={current}
                at={index}
                problems={problems}
                onOpen={(next) => {
                  at.value = next;
                }}
                onChange={setVersions}
              />
              <MessageEditor
                key={index}
                type={current.type}
                content={current.versions[index]!.content}
                onChange={(content) =>
                  set({ versions: current.versions.with(index, { ...current.versions[index]!, content }) })
                }
                fields={names.loaded.value.data?.templates ?? []}
                preview={shown}
                problems={problems}
                path={path}
              />
              <label class="check">
                <input
                  type="checkbox"
                  checked={current.trackClicks}
                  onChange={(event) => set({ trackClicks: event.currentTarget.checked })}
                />
                <span>
                  {words.trackClicks} <span class="quiet-text small-text">{words.trackMeans}</span>
                </span>
              </label>
              <Problems of={problems} at="settings.track_clicks" />
            </div>
          </Card>
          <Card title={<Step number={2} title={words.audienceTitle} />}>
            <div class="stack">
              {names.loaded.value.data !== undefined && (
                <AudienceEditor
                  bot={key}
                  names={names.loaded.value.data}
                  audience={current.audience}
                  problems={problems}
                  onChange={(next) => set({ audience: next })}
                />
              )}
              <AudienceSize
                loaded={size.loaded.value}
                retry={size.reload}
                isEmpty={current.audience.include.length === 0}
                isUnfinished={isUnfinished}
              />
            </div>
          </Card>
          <Card title={<Step number={3} title={words.sending} />}>
            <Schedule draft={current} zone={bot.timezone} count={sized?.count} problems={problems} set={set} />
          </Card>
        </div>
        <aside class="phone" aria-label={words.preview}>
          <div class="row-between">
            <h2>{words.preview}</h2>
            <Picker
              label={words.previewAs}
              look="btn quiet small"
              value={asUser.value}
              options={[
                { value: '', label: words.firstUser },
                // Groups and channels have no person to show it to.
                ...(sized?.sample ?? [])
                  .filter(({ chat_id }) => chat_id > 0)
                  .map((person) => ({ value: String(person.chat_id), label: nameOf(person) })),
              ]}
              onPick={(user) => {
                asUser.value = user;
              }}
            >
              <bdi class="cut">{asUserName}</bdi> <Icon name="down" />
            </Picker>
          </div>
          {preview.loaded.value.error !== undefined && (
            <Failure error={preview.loaded.value.error} retry={preview.reload} />
          )}
          {shown !== undefined && <Preview preview={shown} bot={bot.name} />}
          <TestSend bot={key} body={() => typedMessage(draft.value, index)} />
        </aside>
        <SaveBar open={open} bot={key} attempt={attempt} onOverwrite={() => void saveDraft(true)} onLaunch={ask}>
          <Summary draft={current} size={sized} zone={bot.timezone} />
        </SaveBar>
      </form>
      {asked.value && (
        <LaunchDialog
          draft={current}
          zone={bot.timezone}
          names={names.loaded.value.data}
          size={size.loaded.value}
          attempt={attempt}
          onYes={launch}
          onNo={() => {
            asked.value = false;
          }}
        />
      )}
    </>
  );
}

function Step({ number: step, title }: { readonly number: number; readonly title: string }) {
  return (
    <>
      <span class="no" aria-hidden="true">
        {step}
      </span>
      {title}
    </>
  );
}

interface SummaryProps {
  readonly draft: Draft;
  readonly size: Size | undefined;
  readonly zone: string;
}

/** Recipients, time and duration in one line. */
function Summary({ draft, size, zone }: SummaryProps) {
  if (size === undefined) return <>{words.notCountedYet}</>;
  const seconds = Math.ceil(size.count / Math.max(1, Number(draft.cap) || 1));
  const when = draft.date === '' || isPast(draft) ? words.launchAtOnce : words.launchAt(date(draft.date, true), zone);
  return (
    <>
      <b>{words.countOf(number(size.count))}</b>, {when}
      {seconds > 0 && `, ${words.about(duration(seconds))}`}
    </>
  );
}

const typedMessage = ({ type, versions }: Draft, at: number) => ({
  type,
  message: messageOf(type, versions[Math.min(at, versions.length - 1)]!.content),
});

type Read<T> = { readonly value: T };

/** The message as a user gets it. It follows the typing after a moment. @param asUser id as text; empty: the first user */
function usePreview(bot: string, draft: Read<Draft>, at: Read<number>, asUser: Read<string>) {
  const message = useSettled(useComputed(() => JSON.stringify(typedMessage(draft.value, at.value))));
  return useLoad(
    () => {
      const user = asUser.value === '' ? {} : { user_id: Number(asUser.value) };
      const body = { ...JSON.parse(message.value), ...user };
      return (signal) => request<MessagePreview>('/v1/broadcast/preview', { method: 'POST', bot, body, signal });
    },
    // A preview stays while its next letter is on the way.
    { keep: true },
  );
}
