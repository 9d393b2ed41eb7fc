import type { Detail } from '../../api.ts';
import type { Field, KnownEvent } from '../../parts/catalog.ts';
import { NO_FILTER } from '../../parts/filter.ts';
import { FilterBuilder } from '../../parts/filter-builder.tsx';
import { filterWords } from '../../parts/filter-words.ts';
import type { Fact } from './facts.tsx';
import { Problems } from './problems.tsx';
import { type Audience, type EventRule, type EventRules, newPart, type Part } from './segments.ts';
import { words } from './words.ts';

/** The names that audiences and templates can use, and the bot's events. */
export interface Names {
  readonly users: readonly Field[];
  readonly events: readonly Field[];
  readonly templates: readonly string[];
  readonly known: readonly KnownEvent[];
  /** Undefined: not known. */
  readonly hasToken: boolean | undefined;
}

export interface AudienceEditorProps {
  readonly bot: string;
  readonly names: Names;
  readonly audience: Audience;
  readonly problems: readonly Detail[];
  readonly onChange: (audience: Audience) => void;
}

const KINDS = ['all', 'filter', 'list', 'from_task'] as const;

/** All of the included segments, without the excluded ones. */
export function AudienceEditor({ bot, names, audience, problems, onChange }: AudienceEditorProps) {
  return (
    <>
      {(['include', 'exclude'] as const).map((side) => {
        const parts = audience[side];
        const set = (next: readonly Part[]): void => onChange({ ...audience, [side]: next });
        const at = `segmentations.${side}`;
        return (
          <fieldset key={side}>
            <legend>{words[side]}</legend>
            {parts.map((part, index) => (
              <div class="segment" key={index}>
                <div class="btns">
                  <b>{titleOf(part)}</b>
                  <button
                    type="button"
                    class="btn quiet small"
                    aria-label={words.remove(titleOf(part))}
                    onClick={() => set(parts.filter((_, place) => place !== index))}
                  >
                    ×
                  </button>
                </div>
                <PartEditor bot={bot} names={names} part={part} onChange={(next) => set(parts.with(index, next))} />
                <Problems of={problems} at={`${at}.${index}`} />
              </div>
            ))}
            {side === 'include' && parts.length > 1 && <p class="quiet-text">{words.anyOf}</p>}
            <Problems of={problems.filter(({ path }) => path === at)} at={at} />
            <label>
              {words.addSegment}
              <select
                class="input"
                value=""
                onChange={(event) => {
                  set([...parts, newPart(event.currentTarget.value as (typeof KINDS)[number])]);
                  event.currentTarget.value = '';
                }}
              >
                <option value="">…</option>
                {KINDS.map((kind) => (
                  <option key={kind} value={kind}>
                    {words.segments[kind]}
                  </option>
                ))}
              </select>
            </label>
          </fieldset>
        );
      })}
    </>
  );
}

function titleOf(part: Part): string {
  if (part.kind !== 'kept') return words.segments[part.kind];
  const { type, config } = part.segment;
  if (type === 'custom') return words.customSegment(String(config?.['segment_id']));
  return type === 'filter' ? words.keptFilter : words.segments.channel;
}

/** The audience in words. */
export function audienceFacts({ include, exclude }: Audience): Fact[] {
  const named = (parts: readonly Part[]): string => parts.map(titleOf).join(words.or);
  return [
    [words.include, named(include) || '–'],
    [words.exclude, named(exclude)],
  ];
}

interface PartProps<P> {
  readonly bot: string;
  readonly names: Names;
  readonly part: P;
  readonly onChange: (part: Part) => void;
}

function PartEditor({ bot, names, part, onChange }: PartProps<Part>) {
  switch (part.kind) {
    case 'all':
      return null;
    case 'filter':
      return (
        <>
          <FilterBuilder
            bot={bot}
            fields={names.users}
            group={part.users}
            onChange={(users) => onChange({ ...part, users })}
          />
          <Rules bot={bot} names={names} rules={part.events} onChange={(events) => onChange({ ...part, events })} />
        </>
      );
    case 'list':
      return (
        <label class="full">
          {words.chats}
          <textarea
            class="input"
            rows={3}
            value={part.text}
            onInput={(event) => onChange({ ...part, text: event.currentTarget.value })}
          />
        </label>
      );
    case 'from_task':
      return (
        <label>
          {words.task}
          <input
            class="input"
            inputMode="numeric"
            value={part.task}
            onInput={(event) => onChange({ ...part, task: event.currentTarget.value.trim() })}
          />
        </label>
      );
    case 'kept':
      return part.segment.type === 'custom' ? (
        <p class="quiet-text">{words.customMeans}</p>
      ) : (
        <pre>
          <code>{JSON.stringify(part.segment.config)}</code>
        </pre>
      );
  }
}

interface RulesProps {
  readonly bot: string;
  readonly names: Names;
  readonly rules: EventRules;
  readonly onChange: (rules: EventRules) => void;
}

/** Events that users have, or have not. */
function Rules({ bot, names, rules, onChange }: RulesProps) {
  const change = (index: number, part: Partial<EventRule>): void =>
    onChange({ ...rules, items: rules.items.with(index, { ...rules.items[index]!, ...part }) });
  return (
    <div class="group">
      {rules.items.length > 1 && (
        <select
          class="input"
          aria-label={filterWords.join}
          value={rules.join}
          onChange={(event) => onChange({ ...rules, join: event.currentTarget.value as EventRules['join'] })}
        >
          <option value="and">{filterWords.all}</option>
          <option value="or">{filterWords.any}</option>
        </select>
      )}
      {rules.items.map((rule, index) => (
        <div class="item" key={index}>
          <select
            class="input"
            aria-label={words.didOrNot}
            value={String(rule.negation)}
            onChange={(event) => change(index, { negation: event.currentTarget.value === 'true' })}
          >
            <option value="false">{words.did}</option>
            <option value="true">{words.didNot}</option>
          </select>
          <select
            class="input"
            aria-label={words.event}
            value={rule.event ?? ''}
            onChange={(event) =>
              change(index, { event: event.currentTarget.value === '' ? null : Number(event.currentTarget.value) })
            }
          >
            <option value="">{words.anyEvent}</option>
            {names.known.map(({ event_id, name }) => (
              <option key={event_id} value={event_id}>
                {name}
              </option>
            ))}
          </select>
          <label>
            {words.withinDays}
            <input
              class="input"
              type="number"
              min={0}
              value={rule.days}
              onChange={(event) =>
                change(index, { days: Math.max(0, Math.trunc(event.currentTarget.valueAsNumber || 0)) })
              }
            />
          </label>
          <FilterBuilder
            bot={bot}
            fields={names.events}
            group={rule.filter}
            onChange={(filter) => change(index, { filter })}
          />
          <button
            type="button"
            class="btn quiet small"
            aria-label={words.remove(words.event)}
            onClick={() => onChange({ ...rules, items: rules.items.filter((_, at) => at !== index) })}
          >
            ×
          </button>
        </div>
      ))}
      <button
        type="button"
        class="btn quiet small"
        onClick={() =>
          onChange({ ...rules, items: [...rules.items, { event: null, negation: false, days: 30, filter: NO_FILTER }] })
        }
      >
        + {words.addEvent}
      </button>
    </div>
  );
}
