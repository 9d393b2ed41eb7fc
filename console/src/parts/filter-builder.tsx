import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { Value } from '../api.ts';
import { type Field, valuesOf } from './catalog.ts';
import { type Condition, type Group, isGroup, isList, isRange } from './filter.ts';
import { filterWords as words } from './filter-words.ts';
import { useTyped } from './typed.ts';

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
      {group.items.length > 1 && (
        <select
          class="input"
          aria-label={words.join}
          value={group.join}
          onChange={(event) => onChange({ ...group, join: event.currentTarget.value as Group['join'] })}
        >
          <option value="and">{words.all}</option>
          <option value="or">{words.any}</option>
        </select>
      )}
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
            class="btn quiet small"
            aria-label={words.remove(isGroup(item) ? words.group : item.field)}
            onClick={() => change(index, null)}
          >
            ×
          </button>
        </div>
      ))}
      <span class="btns">
        <button type="button" class="btn quiet small" onClick={() => add(firstCondition(fields))}>
          + {words.add}
        </button>
        {group.items.length > 0 && depth < MAX_DEPTH && (
          <button
            type="button"
            class="btn quiet small"
            onClick={() => add({ join: group.join === 'and' ? 'or' : 'and', items: [firstCondition(fields)] })}
          >
            + {words.addGroup}
          </button>
        )}
      </span>
    </div>
  );
}

function firstCondition(fields: readonly Field[]): Condition {
  const field = fields.find(({ name }) => /^users?\.language_code$/.test(name)) ?? fields[0]!;
  return { field: field.name, operator: '=', value: startValue(field, '=') };
}

/** Any name may follow: `user.custom_fields.*`. */
const isOpen = ({ name }: Field): boolean => name.endsWith('.*');
const prefixOf = ({ name }: Field): string => name.slice(0, -1);

/** The field of a condition. One that is not in the list is kept as it is. */
function fieldOf(fields: readonly Field[], { field, operator }: Condition): Field {
  return (
    fields.find(({ name }) => name === field) ??
    fields.find((each) => isOpen(each) && field.startsWith(prefixOf(each))) ?? {
      name: field,
      type: 'string',
      operators: [operator],
      separator: false,
    }
  );
}

function startValue({ type }: Field, operator: string): Condition['value'] {
  const one = type === 'number' ? 0 : type === 'boolean' ? true : '';
  if (operator === 'is') return null;
  if (isRange(operator)) return [one, one];
  return isList(operator) ? [] : one;
}

interface ConditionEditorProps {
  readonly bot: string;
  readonly fields: readonly Field[];
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
}

function ConditionEditor({ bot, fields, condition, onChange }: ConditionEditorProps) {
  const id = useId();
  const offered = useSignal<readonly Value[]>([]);
  const field = fieldOf(fields, condition);
  useEffect(() => {
    let left = false;
    // Without offers the field can still be filled in by hand.
    valuesOf(bot, field, new Date()).then(
      (values) => {
        if (!left) offered.value = values;
      },
      () => {},
    );
    return () => {
      left = true;
    };
  }, [bot, field.name]);
  const { operator, value } = condition;
  const set = (text: string, at?: number): void => {
    const read = isList(operator)
      ? text.split(',').map((part) => valueFrom(field, part.trim(), offered.value))
      : valueFrom(field, text, offered.value);
    onChange({ ...condition, value: at === undefined ? read : (value as readonly Value[]).with(at, read as Value) });
  };
  return (
    <span class="condition">
      <select
        class="input"
        aria-label={words.field}
        value={field.name}
        onChange={(event) => {
          const next = fields.find(({ name }) => name === event.currentTarget.value) ?? field;
          const name = isOpen(next) ? prefixOf(next) : next.name;
          onChange({ field: name, operator: '=', value: startValue(next, '=') });
        }}
      >
        {(fields.includes(field) ? fields : [field, ...fields]).map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {isOpen(field) && (
        <ValueInput
          label={words.name}
          type="string"
          value={condition.field.slice(prefixOf(field).length)}
          onChange={(name) => onChange({ ...condition, field: `${prefixOf(field)}${name}` })}
        />
      )}
      <select
        class="input"
        aria-label={words.operator}
        value={operator}
        onChange={(event) => {
          const next = event.currentTarget.value;
          const keeps = [operator, next].every((name) => !isList(name) && !isRange(name) && name !== 'is');
          onChange({ ...condition, operator: next, value: keeps ? value : startValue(field, next) });
        }}
      >
        {field.operators.map((name) => (
          <option key={name} value={name}>
            {words.operators[name as keyof typeof words.operators] ?? name}
          </option>
        ))}
      </select>
      {operator === 'is' ? null : field.type === 'boolean' && !isList(operator) ? (
        <select
          class="input"
          aria-label={words.value}
          value={String(value)}
          onChange={(event) => set(event.currentTarget.value)}
        >
          <option value="true">{words.yes}</option>
          <option value="false">{words.no}</option>
        </select>
      ) : isRange(operator) ? (
        [0, 1].map((at) => (
          <ValueInput
            key={at}
            list={id}
            label={at === 0 ? words.from : words.to}
            type={field.type}
            value={String((value as readonly Value[])[at] ?? '')}
            onChange={(text) => set(text, at)}
          />
        ))
      ) : (
        <ValueInput
          list={id}
          label={isList(operator) ? words.values : words.value}
          type={isList(operator) ? 'string' : field.type}
          value={Array.isArray(value) ? value.join(', ') : String(value)}
          onChange={(text) => set(text)}
        />
      )}
      <datalist id={id}>
        {offered.value.map((found) => (
          <option key={String(found)} value={String(found)} />
        ))}
      </datalist>
    </span>
  );
}

/** @param seen values of the field: they show the type of a dynamic field's values, as its `types` do */
function valueFrom({ type, types }: Field, text: string, seen: readonly Value[]): Value {
  if (type === 'dynamic') {
    const has = (name: 'number' | 'boolean') => types?.includes(name) || seen.some((value) => typeof value === name);
    const found = seen.find((value) => String(value) === text);
    if (found !== undefined) return found;
    if (has('number') && String(Number(text)) === text) return Number(text);
    return has('boolean') && (text === 'true' || text === 'false') ? text === 'true' : text;
  }
  if (type === 'boolean') return text === 'true';
  // A number that a float would change goes as text; the service compares it exactly.
  return type === 'number' && text !== '' && String(Number(text)) === text ? Number(text) : text;
}

interface ValueInputProps {
  readonly list?: string;
  readonly label: string;
  readonly type: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

function ValueInput({ list, label, type, value, onChange }: ValueInputProps) {
  return (
    <input
      class="input"
      aria-label={label}
      placeholder={label}
      list={list}
      inputMode={type === 'number' ? 'decimal' : 'text'}
      {...useTyped(value, (input) => onChange(input.value))}
    />
  );
}
