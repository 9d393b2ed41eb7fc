import type { Detail } from '../../api.ts';
import { EventRulesEditor } from '../../parts/event-rules-editor.tsx';
import { FilterBuilder } from '../../parts/filter-builder.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Picker } from '../../parts/picker.tsx';
import { titleOf } from './audience-facts.ts';
import type { Named, Names } from './names.ts';
import { Problems } from './problems.tsx';
import { type Audience, newPart, type Part } from './segments.ts';
import { words } from './words.ts';

export interface AudienceEditorProps {
  readonly bot: string;
  readonly names: Names;
  readonly audience: Audience;
  readonly problems: readonly Detail[];
  readonly onChange: (audience: Audience) => void;
}

const KINDS = ['all', 'filter', 'saved', 'from_task', 'list'] as const;

/** All of the included segments, without the excluded ones. */
export function AudienceEditor({ bot, names, audience, problems, onChange }: AudienceEditorProps) {
  return (
    <>
      {(['include', 'exclude'] as const).map((side) => {
        const parts = audience[side];
        const set = (next: readonly Part[]): void => onChange({ ...audience, [side]: next });
        const at = `segmentations.${side}`;
        return (
          <fieldset key={side} class="side-of-audience">
            <legend>{words[side]}</legend>
            {parts.map((part, index) => {
              const title = part.kind === 'kept' ? titleOf(part) : words.segments[part.kind];
              return (
                <div class="segment" key={index}>
                  <div class="row-between">
                    <b>{title}</b>
                    <button
                      type="button"
                      class="btn quiet small only-icon"
                      aria-label={words.remove(title)}
                      onClick={() => set(parts.filter((_, place) => place !== index))}
                    >
                      <Icon name="close" />
                    </button>
                  </div>
                  <PartEditor bot={bot} names={names} part={part} onChange={(next) => set(parts.with(index, next))} />
                  <Problems of={problems} at={`${at}.${index}`} />
                </div>
              );
            })}
            {side === 'include' && parts.length > 1 && <p class="quiet-text small-text">{words.anyOf}</p>}
            <Problems of={problems.filter(({ path }) => path === at)} at={at} />
            <Menu
              label={`${words.addSegment}: ${words[side]}`}
              items={KINDS.map((kind) => ({
                text: words.segments[kind],
                onPick: () => set([...parts, newPart(kind)]),
              }))}
            >
              <Icon name="plus" /> {words.addSegment}
            </Menu>
          </fieldset>
        );
      })}
    </>
  );
}

interface PartProps {
  readonly bot: string;
  readonly names: Names;
  readonly part: Part;
  readonly onChange: (part: Part) => void;
}

function PartEditor({ bot, names, part, onChange }: PartProps) {
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
          <EventRulesEditor
            bot={bot}
            names={names}
            rules={part.events}
            onChange={(events) => onChange({ ...part, events })}
          />
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
        <Chosen
          label={words.task}
          value={part.task}
          of={names.tasks}
          unknown={words.broadcastNo(part.task)}
          onPick={(task) => onChange({ ...part, task })}
        />
      );
    case 'saved':
      if (names.saved.length === 0) return <p class="quiet-text">{words.noSegments}</p>;
      return (
        <Chosen
          label={words.segment}
          value={part.id}
          of={names.saved}
          unknown={words.savedSegment(part.id)}
          onPick={(id) => onChange({ ...part, id })}
        />
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

interface ChosenProps {
  readonly label: string;
  /** Id as text; empty: none. */
  readonly value: string;
  readonly of: readonly Named[];
  /** The name of an id that is not in the list. */
  readonly unknown: string;
  readonly onPick: (value: string) => void;
}

function Chosen({ label, value, of, unknown, onPick }: ChosenProps) {
  const options = of.map(({ id, name }) => ({ value: String(id), label: name, small: `${id}` }));
  const isKnown = value === '' || options.some((option) => option.value === value);
  const first = value === '' ? [{ value: '', label: words.choose }] : isKnown ? [] : [{ value, label: unknown }];
  return <Picker label={label} value={value} options={[...first, ...options]} onPick={onPick} />;
}
