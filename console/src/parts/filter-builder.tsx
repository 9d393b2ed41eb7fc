import type { Field } from './catalog.ts';
import { ConditionEditor, conditionOn } from './condition-editor.tsx';
import { type Condition, type Group, isGroup } from './filter.ts';
import { filterWords as words } from './filter-words.ts';
import { Icon } from './icon.tsx';
import { namedField } from './names.ts';

export interface FilterBuilderProps {
  readonly bot: string;
  readonly fields: readonly Field[];
  readonly group: Group;
  readonly onChange: (group: Group) => void;
  /** How deep the group stands; the API takes 20 levels. */
  readonly depth?: number;
}

const MAX_DEPTH = 5;

/** Conditions that nest: a group holds conditions and groups, all or any of which must hold. */
export function FilterBuilder({ bot, fields, group, onChange, depth = 0 }: FilterBuilderProps) {
  const change = (index: number, item: Condition | Group | null): void =>
    onChange({
      ...group,
      items: item === null ? group.items.filter((_, at) => at !== index) : group.items.with(index, item),
    });
  const add = (item: Condition | Group): void => onChange({ ...group, items: [...group.items, item] });
  return (
    <div class="group">
      {group.items.length > 1 && <Join group={group} onChange={onChange} />}
      {group.items.map((item, index) => (
        <div class="item" key={index}>
          {isGroup(item) ? (
            <FilterBuilder
              bot={bot}
              fields={fields}
              group={item}
              depth={depth + 1}
              onChange={(inner) => change(index, inner.items.length === 0 ? null : inner)}
            />
          ) : (
            <ConditionEditor bot={bot} fields={fields} condition={item} onChange={(next) => change(index, next)} />
          )}
          <button
            type="button"
            class="btn quiet small only-icon"
            aria-label={words.remove(isGroup(item) ? words.group : namedField(item.field).label)}
            onClick={() => change(index, null)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <span class="btns">
        <button type="button" class="btn quiet small" onClick={() => add(firstCondition(fields))}>
          <Icon name="plus" /> {words.add}
        </button>
        {group.items.length > 0 && depth < MAX_DEPTH && (
          <button
            type="button"
            class="btn quiet small"
            onClick={() => add({ join: group.join === 'and' ? 'or' : 'and', items: [firstCondition(fields)] })}
          >
            <Icon name="plus" /> {words.addGroup}
          </button>
        )}
      </span>
    </div>
  );
}

/** Whether all or any of a group must hold. */
function Join({ group, onChange }: Pick<FilterBuilderProps, 'group' | 'onChange'>) {
  return (
    <select
      class="input"
      aria-label={words.join}
      value={group.join}
      onChange={(event) => onChange({ ...group, join: event.currentTarget.value as Group['join'] })}
    >
      <option value="and">{words.all}</option>
      <option value="or">{words.any}</option>
    </select>
  );
}

/** A new condition: on the language, which every bot knows. */
export function firstCondition(fields: readonly Field[]): Condition {
  return conditionOn(fields.find(({ name }) => /^users?\.language_code$/.test(name)) ?? fields[0]!);
}
