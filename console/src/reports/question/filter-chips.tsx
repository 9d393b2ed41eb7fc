import { useSignal } from '@preact/signals';
import type { Field } from '../../parts/catalog.ts';
import { ConditionEditor, conditionOn, fieldOf, fieldOptions, operatorWord } from '../../parts/condition-editor.tsx';
import { type Condition, type Group, isComplete, isGroup } from '../../parts/filter.ts';
import { FilterBuilder, firstCondition } from '../../parts/filter-builder.tsx';
import { filterWords } from '../../parts/filter-words.ts';
import { namedField, spokenValue } from '../../parts/names.ts';
import { words } from '../words.ts';
import { AddChip, Chip, ChoiceChip, Word } from './chip.tsx';
import type { PartProps } from './event-chips.tsx';

/** The value in the picker of fields that adds a group. */
const GROUP = 'group of conditions';

/** The conditions of a question, each a chip; and a place for one more. */
export function FilterChips({ bot, catalog, state, set }: PartProps) {
  const { filter } = state;
  const { fields } = catalog;
  /** The chip that was just added. */
  const added = useSignal(-1);
  const change = (index: number, item: Condition | Group | null): void =>
    set({
      filter: { ...filter, items: item === null ? filter.items.toSpliced(index, 1) : filter.items.with(index, item) },
    });
  const add = (item: Condition | Group): void => {
    added.value = filter.items.length;
    set({ filter: { ...filter, items: [...filter.items, item] } });
  };
  return (
    <>
      {filter.items.length > 0 && <Word>{words.question.where}</Word>}
      {filter.items.length > 1 && (
        <ChoiceChip
          label={filterWords.join}
          value={filter.join}
          of={['and', 'or']}
          names={{ and: filterWords.all, or: filterWords.any }}
          onChange={(join) => set({ filter: { ...filter, join } })}
        />
      )}
      {filter.items.map((item, index) => (
        <Chip
          key={index}
          label={words.filterNo(index + 1)}
          startsOpen={added.peek() === index}
          isUnset={!isSet(item)}
          onRemove={() => change(index, null)}
          edit={() =>
            isGroup(item) ? (
              <FilterBuilder
                bot={bot}
                fields={fields}
                group={item}
                depth={1}
                onChange={(inner) => change(index, inner.items.length === 0 ? null : inner)}
              />
            ) : (
              <ConditionEditor bot={bot} fields={fields} condition={item} onChange={(next) => change(index, next)} />
            )
          }
        >
          <ItemText item={item} fields={fields} />
        </Chip>
      ))}
      <AddChip
        label={words.addFilter}
        icon="filter"
        options={[
          ...fieldOptions(fields),
          { value: GROUP, label: filterWords.addGroup, small: '', group: words.several },
        ]}
        onPick={(name) => {
          if (name === GROUP) add({ join: filter.join === 'and' ? 'or' : 'and', items: [firstCondition(fields)] });
          else add(conditionOn(fields.find((field) => field.name === name)!));
        }}
      />
    </>
  );
}

const isSet = (item: Condition | Group): boolean => (isGroup(item) ? item.items.some(isSet) : isComplete(item));

interface ItemTextProps {
  readonly item: Condition | Group;
  readonly fields: readonly Field[];
}

/** A condition as words; of a group how many it has. */
function ItemText({ item, fields }: ItemTextProps) {
  if (isGroup(item))
    return <b>{words.groupOf(item.join === 'and' ? filterWords.all : filterWords.any, item.items.length)}</b>;
  const { field, operator, value } = item;
  const values = [value].flat().map((part) => spokenValue(field, String(part)));
  return (
    <>
      <b title={field}>{namedField(field).label}</b>
      <span class="op">{operatorWord(fieldOf(fields, item), operator)}</span>
      {operator !== 'is' && <b title={values.join(', ')}>{isComplete(item) ? values.join(', ') : filterWords.unset}</b>}
    </>
  );
}

interface FieldChipsProps {
  readonly chosen: readonly string[];
  readonly fields: readonly Field[];
  readonly label: string;
  /** At least so many stay. */
  readonly least?: number;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Fields of a question, each a chip; and a place for one more. */
export function FieldChips({ chosen, fields, label, least = 0, onChange }: FieldChipsProps) {
  return (
    <>
      {chosen.map((name, index) => (
        <Chip
          key={name}
          label={namedField(name).label}
          onRemove={chosen.length > least ? () => onChange(chosen.filter((other) => other !== name)) : undefined}
          edit={() => <p class="quiet-text small-text">{name}</p>}
        >
          <b title={name}>{namedField(chosen[index]!).label}</b>
        </Chip>
      ))}
      <AddChip
        label={label}
        icon="segment"
        options={fieldOptions(fields.filter(({ name }) => !chosen.includes(name)))}
        onPick={(name) => onChange([...chosen, name])}
      />
    </>
  );
}
