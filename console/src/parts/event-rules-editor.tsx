import type { ConditionNames } from './condition-names.ts';
import { eventOptions } from './event-options.ts';
import type { EventRule, EventRules } from './event-rules.ts';
import { NO_FILTER } from './filter.ts';
import { FilterBuilder } from './filter-builder.tsx';
import { filterWords as words } from './filter-words.ts';
import { Icon } from './icon.tsx';
import { Picker } from './picker.tsx';

interface RulesProps {
  readonly bot: string;
  readonly names: ConditionNames;
  readonly rules: EventRules;
  readonly onChange: (rules: EventRules) => void;
}

/** A new rule: any event of the last 30 days. */
const FIRST: EventRule = { event: null, negation: false, days: 30, filter: NO_FILTER };

/** Events that users have, or have not. */
export function EventRulesEditor({ bot, names, rules, onChange }: RulesProps) {
  const change = (index: number, part: Partial<EventRule>): void =>
    onChange({ ...rules, items: rules.items.with(index, { ...rules.items[index]!, ...part }) });
  return (
    <div class="group">
      {rules.items.length > 1 && (
        <select
          class="input"
          aria-label={words.join}
          value={rules.join}
          onChange={(event) => onChange({ ...rules, join: event.currentTarget.value as EventRules['join'] })}
        >
          <option value="and">{words.all}</option>
          <option value="or">{words.any}</option>
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
            options={[{ value: '', label: words.anyEvent }, ...eventOptions(names.known, rule.event)]}
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
        onClick={() => onChange({ ...rules, items: [...rules.items, FIRST] })}
      >
        <Icon name="plus" /> {words.addEvent}
      </button>
    </div>
  );
}
