import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { Value } from '../api.ts';
import { type Field, valuesOf } from './catalog.ts';
import { fieldWords } from './field-words.ts';
import { type Condition, isList, isRange } from './filter.ts';
import { filterWords as words } from './filter-words.ts';
import { namedField } from './names.ts';
import { Picker, type PickerOption } from './picker.tsx';
import { useTyped } from './typed.ts';

/** Any name may follow: `user.custom_fields.*`. */
const isOpen = ({ name }: Field): boolean => name.endsWith('.*');
const prefixOf = ({ name }: Field): string => name.slice(0, -1);

/** The field of a condition. One that is not in the list is kept as it is. */
export function fieldOf(fields: readonly Field[], { field, operator }: Pick<Condition, 'field' | 'operator'>): Field {
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

/** A new condition on a field. It has no value yet. */
export function conditionOn(field: Field): Condition {
  return { field: isOpen(field) ? prefixOf(field) : field.name, operator: '=', value: emptyValue('=') };
}

function emptyValue(operator: string): Condition['value'] {
  if (operator === 'is') return null;
  if (isRange(operator)) return ['', ''];
  return isList(operator) ? [] : '';
}

const GROUPS: readonly string[] = Object.values(fieldWords.groups);

/** Fields to choose from, by what they belong to. */
export function fieldOptions(fields: readonly Field[]): readonly PickerOption[] {
  return fields
    .map(({ name }) => ({ value: name, small: name, ...namedField(name) }))
    .toSorted((a, b) => GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group));
}

/** The words of an operator of a field. */
export function operatorWord(field: Field, operator: string): string {
  const dates: Readonly<Record<string, string>> = field.type === 'date' ? words.dateOperators : {};
  return dates[operator] ?? words.operators[operator as keyof typeof words.operators] ?? operator;
}

export interface ConditionEditorProps {
  readonly bot: string;
  readonly fields: readonly Field[];
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
}

/** A condition: a field, what it is compared by, and with what. */
export function ConditionEditor({ bot, fields, condition, onChange }: ConditionEditorProps) {
  const field = fieldOf(fields, condition);
  const { operator, value } = condition;
  const options = fields.includes(field) ? fields : [field, ...fields];
  return (
    <span class="condition">
      <Picker
        label={words.field}
        value={field.name}
        options={fieldOptions(options)}
        onPick={(name) => onChange(conditionOn(fields.find((each) => each.name === name) ?? field))}
      />
      {isOpen(field) && (
        <ValueInput
          label={words.name}
          type="string"
          value={condition.field.slice(prefixOf(field).length)}
          onChange={(name) => onChange({ ...condition, field: `${prefixOf(field)}${name}` })}
        />
      )}
      <Picker
        label={words.operator}
        value={operator}
        options={field.operators.map((name) => ({ value: name, label: operatorWord(field, name) }))}
        onPick={(next) => {
          const keeps = [operator, next].every((name) => !isList(name) && !isRange(name) && name !== 'is');
          onChange({ ...condition, operator: next, value: keeps ? value : emptyValue(next) });
        }}
      />
      <ConditionValue bot={bot} field={field} condition={condition} onChange={onChange} />
    </span>
  );
}

interface ValueProps extends Pick<ConditionEditorProps, 'bot' | 'condition' | 'onChange'> {
  readonly field: Field;
}

/** The values that a condition compares with; of a list with commas between. */
function ConditionValue({ bot, field, condition, onChange }: ValueProps) {
  const id = useId();
  const offered = useOffered(bot, field);
  const { operator, value } = condition;
  const set = (text: string, at?: number): void => {
    const read = isList(operator)
      ? text.split(',').flatMap((part) => (part.trim() === '' ? [] : [valueFrom(field, part.trim(), offered)]))
      : valueFrom(field, text, offered);
    onChange({ ...condition, value: at === undefined ? read : (value as readonly Value[]).with(at, read as Value) });
  };
  if (operator === 'is') return null;
  if (field.type === 'boolean' && !isList(operator))
    return (
      <select
        class="input"
        aria-label={words.value}
        value={String(value)}
        onChange={(event) => set(event.currentTarget.value)}
      >
        <option value="">{words.choose}</option>
        <option value="true">{words.yes}</option>
        <option value="false">{words.no}</option>
      </select>
    );
  return (
    <>
      {isRange(operator) ? (
        [words.from, words.to].map((label, at) => (
          <ValueInput
            key={label}
            list={id}
            label={label}
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
        {offered.map((found) => (
          <option key={String(found)} value={String(found)} />
        ))}
      </datalist>
    </>
  );
}

/** The most frequent values of a field. Without them it can still be filled in by hand. */
function useOffered(bot: string, field: Field): readonly Value[] {
  const offered = useSignal<readonly Value[]>([]);
  useEffect(() => {
    let left = false;
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
  return offered.value;
}

/** @param seen values of the field: they show the type of a dynamic field's values, as its `types` do */
function valueFrom({ type, types }: Field, text: string, seen: readonly Value[]): Value {
  if (text === '') return '';
  if (type === 'dynamic') {
    const has = (name: 'number' | 'boolean') => types?.includes(name) || seen.some((value) => typeof value === name);
    const found = seen.find((value) => String(value) === text);
    if (found !== undefined) return found;
    if (has('number') && String(Number(text)) === text) return Number(text);
    return has('boolean') && (text === 'true' || text === 'false') ? text === 'true' : text;
  }
  if (type === 'boolean') return text === 'true';
  // A number that a float would change goes as text; the service compares it exactly.
  return type === 'number' && String(Number(text)) === text ? Number(text) : text;
}

interface ValueInputProps {
  readonly list?: string;
  readonly label: string;
  readonly type: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** A field for one value; of a time the browser's own, which writes `YYYY-MM-DDTHH:MM`. */
function ValueInput({ list, label, type, value, onChange }: ValueInputProps) {
  const isDate = type === 'date';
  const typed = useTyped(isDate ? value.replace(' ', 'T') : value, (input) =>
    onChange(isDate ? secondOf(input.value) : input.value),
  );
  return (
    <input
      class="input"
      aria-label={label}
      placeholder={label}
      {...(isDate ? { type: 'datetime-local', step: 1 } : { list, inputMode: type === 'number' ? 'decimal' : 'text' })}
      {...typed}
    />
  );
}

/** A time as the API takes it, `YYYY-MM-DD HH:MM:SS`. Browsers leave out seconds that are zero. */
const secondOf = (local: string): string =>
  local === '' ? '' : local.replace('T', ' ').slice(0, 19).padEnd(19, ':00');
