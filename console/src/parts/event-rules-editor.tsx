import { NO_FILTER } from '../../parts/filter.ts';
import { FilterBuilder } from '../../parts/filter-builder.tsx';
import { filterWords } from '../../parts/filter-words.ts';
import { Icon } from '../../parts/icon.tsx';
import { spoken } from '../../parts/names.ts';
import { Picker } from '../../parts/picker.tsx';
import type { Names } from './names.ts';
import type { EventRule, EventRules } from './segments.ts';
import { words } from './words.ts';

interface RulesProps {
  readonly bot: string;
  readonly names: Names;
  readonly rules: EventRules;
  readonly onChange: (rules: EventRules) => void;
}

/** Events that users have, or have not. */
export function EventRulesEditor({ bot, names, rules, onChange }: RulesProps) {
  const change = (index: number, part: Partial<EventRule>): void =>
    onChange({ ...rules, items: rules.items.with(index, { ...rules.items[index]!, ...part }) });
  const events = [
    { value: '', label: words.anyEvent },
    ...names.known.map(({ event_id, name, title }) => ({
      value: String(event_id),
      label: title ?? spoken(name),
      small: name,
    })),
  ];
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
          <Picker
            label={words.event}
            value={rule.event === null ? '' : String(rule.event)}
            options={events}
            onPick={(event) => change(index, { event: event === '' ? null : Number(event) })}
          />
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
            class="btn quiet small only-icon"
            aria-label={words.remove(words.event)}
            onClick={() => onChange({ ...rules, items: rules.items.filter((_, at) => at !== index) })}
          >
            <Icon name="close" />
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
        <Icon name="plus" /> {words.addEvent}
      </button>
    </div>
  );
}
