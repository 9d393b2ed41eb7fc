import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { go, href } from '../address.ts';
import { request, sendChange } from '../api.ts';
import { useAttempt } from '../parts/attempt.ts';
import { Card } from '../parts/card.tsx';
import { type ConditionNames, loadConditionNames } from '../parts/condition-names.ts';
import { Confirm } from '../parts/confirm.tsx';
import { areWhole, type EventRules } from '../parts/event-rules.ts';
import { EventRulesEditor } from '../parts/event-rules-editor.tsx';
import { Failure, Pending } from '../parts/failure.tsx';
import { type Group, isWhole } from '../parts/filter.ts';
import { FilterBuilder } from '../parts/filter-builder.tsx';
import { filterWords } from '../parts/filter-words.ts';
import { Head } from '../parts/head.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoad } from '../parts/load.ts';
import { quoted } from '../parts/quoted.ts';
import {
  type Conditions,
  conditionsOf,
  eventsOf,
  hasConditions,
  peopleOf,
  type SavedSegment,
} from './saved-segment.ts';
import { SegmentSize } from './segment-size.tsx';
import { words } from './words.ts';

interface SegmentPageProps {
  readonly bot: string;
  /** Of the address: a saved segment, or `new`. */
  readonly id: string;
}

/** One saved segment: its conditions, how many people are in it, and what can be done with them. */
export function SegmentPage({ bot, id }: SegmentPageProps) {
  const { loaded, reload } = useLoad(() => async (signal) => {
    const options = { bot, signal };
    const [segment, names] = await Promise.all([
      id === 'new'
        ? undefined
        : request<SavedSegment>(`/v1/saved-segments/get?${new URLSearchParams({ saved_segment_id: id })}`, options),
      loadConditionNames(bot, signal),
    ]);
    return { segment, names };
  });
  const { data } = loaded.value;
  const crumb = { href: href('/segments', { bot }), text: words.title };
  if (data === undefined)
    return (
      <>
        <Head title={words.title} crumb={crumb} />
        <Pending loaded={loaded.value} retry={reload} />
      </>
    );
  const { segment, names } = data;
  return (
    <>
      <Head title={segment?.name ?? words.new} crumb={crumb}>
        {segment !== undefined && <SegmentActions bot={bot} segment={segment} />}
      </Head>
      <SegmentForm key={segment?.date_change} bot={bot} segment={segment} names={names} onSaved={reload} />
    </>
  );
}

function SegmentActions({ bot, segment }: { readonly bot: string; readonly segment: SavedSegment }) {
  const { saved_segment_id, name } = segment;
  const attempt = useAttempt();
  const asked = useSignal(false);
  const write = (): Promise<void> =>
    attempt.run(async () => {
      const include = [{ type: 'saved', config: { saved_segment_id } }];
      const draft = { type: 'sendMessage', name, segmentations: { include, exclude: [] } };
      const { data } = await sendChange<{ id: number }>('/v1/broadcast/create', draft, bot);
      go(href('/broadcasts', { bot, id: `${data.id}` }));
    });
  const remove = (): Promise<void> =>
    attempt.run(async () => {
      await sendChange('/v1/saved-segments/delete', { saved_segment_id }, bot);
      go(href('/segments', { bot }));
    });
  const filter = {
    join: 'and',
    items: [{ field: `user.saved_segments.${saved_segment_id}`, operator: '=', value: true }],
  };
  return (
    <>
      <button
        type="button"
        class="btn danger"
        onClick={() => {
          asked.value = true;
        }}
      >
        {words.delete}
      </button>
      <a class="btn" href={href('/reports/new', { bot, report: JSON.stringify({ filter }) })}>
        <Icon name="report" /> {words.report}
      </a>
      <button type="button" class="btn" disabled={attempt.busy.value} onClick={() => void write()}>
        <Icon name="broadcast" /> {words.write}
      </button>
      {attempt.error.value !== undefined && !asked.value && <Failure error={attempt.error.value} />}
      {asked.value && (
        <Confirm
          question={words.askDelete(quoted(name))}
          action={words.delete}
          attempt={attempt}
          onYes={remove}
          onNo={() => {
            asked.value = false;
          }}
        >
          <p>{words.deleteMeans}</p>
        </Confirm>
      )}
    </>
  );
}

interface SegmentFormProps {
  readonly bot: string;
  readonly segment: SavedSegment | undefined;
  readonly names: ConditionNames;
  readonly onSaved: () => void;
}

function SegmentForm({ bot, segment, names, onSaved }: SegmentFormProps) {
  const id = useId();
  const { error, busy, run } = useAttempt();
  const name = useSignal(segment?.name ?? '');
  const kept: Conditions = segment?.conditions ?? {};
  const people = useSignal<Group | null>(peopleOf(kept));
  const events = useSignal<EventRules | null>(eventsOf(kept));
  const conditions = conditionsOf(people.value, events.value, kept);
  // A segment without a condition that is still being written would be wider than the one on the page.
  const isFinished =
    (people.value === null || isWhole(people.value)) && (events.value === null || areWhole(events.value));
  const canSave = isFinished && name.value.trim() !== '' && hasConditions(conditions);
  const save = (): Promise<void> =>
    run(async () => {
      const saved_segment_id = segment?.saved_segment_id;
      const body = { name: name.value.trim(), conditions, ...(saved_segment_id && { saved_segment_id }) };
      const { data } = await sendChange<{ saved_segment_id: number }>('/v1/saved-segments/save', body, bot);
      if (segment === undefined) go(href(`/segments/${data.saved_segment_id}`, { bot }), { replace: true });
      else onSaved();
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) void save();
      }}
    >
      <Card
        title={words.who}
        footer={
          <>
            {isFinished ? <SegmentSize bot={bot} conditions={conditions} /> : <span>{filterWords.unfinished}</span>}
            <button type="submit" class="btn primary" disabled={busy.value || !canSave}>
              {words.save}
            </button>
          </>
        }
      >
        <div class="stack">
          <div class="field">
            <label for={`${id}-name`}>{words.name}</label>
            <input
              id={`${id}-name`}
              class="input"
              maxLength={250}
              required
              value={name.value}
              onInput={({ currentTarget }) => {
                name.value = currentTarget.value;
              }}
            />
          </div>
          <fieldset>
            <legend>{words.people}</legend>
            {people.value === null ? (
              <Kept conditions={conditions.user_conditions} />
            ) : (
              <FilterBuilder
                bot={bot}
                fields={names.users}
                group={people.value}
                onChange={(group) => {
                  people.value = group;
                }}
              />
            )}
          </fieldset>
          <fieldset>
            <legend>{words.events}</legend>
            {events.value === null ? (
              <Kept conditions={conditions.event_filters} />
            ) : (
              <EventRulesEditor
                bot={bot}
                names={names}
                rules={events.value}
                onChange={(rules) => {
                  events.value = rules;
                }}
              />
            )}
          </fieldset>
          {error.value !== undefined && <Failure error={error.value} />}
        </div>
      </Card>
    </form>
  );
}

/** Conditions that the form does not edit. */
function Kept({ conditions }: { readonly conditions: unknown }) {
  return (
    <>
      <p class="quiet-text">{words.kept}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: code that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{JSON.stringify(conditions)}</code>
      </pre>
    </>
  );
}
