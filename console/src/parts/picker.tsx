import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';
import { ListOption } from './list-option.tsx';
import { Popover } from './popover.tsx';

export interface PickerOption {
  readonly value: string;
  /** The word for people. */
  readonly label: string;
  /** The name in the API, or a description; the search finds it. */
  readonly small?: string | undefined;
  /** The heading of the options that stand together. Options of a group follow each other. */
  readonly group?: string | undefined;
}

export interface PickerProps {
  /** The noun of the choice, for a screen reader and for the search. */
  readonly label: string;
  readonly value: string;
  readonly options: readonly PickerOption[];
  readonly onPick: (value: string) => void;
  /** The content of the button; default: the label of the chosen option. */
  readonly children?: ComponentChildren;
  /** The look of the button; default: that of a field. */
  readonly look?: string;
  readonly disabled?: boolean;
}

/** Options shown at once; the search finds the others. */
const MOST = 100;

/** Chooses one of many by typing: arrow keys move, Enter chooses, Escape closes and returns the focus. */
export function Picker({ label, value, options, onPick, children, look = 'input pick', disabled }: PickerProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = useSignal(false);
  const chosen = options.find((option) => option.value === value);
  return (
    <>
      <button
        ref={opener}
        type="button"
        class={look}
        aria-haspopup="listbox"
        aria-expanded={isOpen.value}
        disabled={disabled}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <span class="hidden">{label}: </span>
        {children ?? (
          <>
            <b title={chosen?.label}>{chosen?.label ?? ''}</b>
            <Icon name="down" />
          </>
        )}
      </button>
      {isOpen.value && (
        <Popover
          opener={opener.current!}
          onClose={() => {
            isOpen.value = false;
          }}
        >
          <PickerList
            label={label}
            value={value}
            options={options}
            onPick={(picked) => {
              isOpen.value = false;
              opener.current?.focus();
              onPick(picked);
            }}
          />
        </Popover>
      )}
    </>
  );
}

type ListProps = Pick<PickerProps, 'label' | 'value' | 'options' | 'onPick'>;

function PickerList({ label, value, options, onPick }: ListProps) {
  const id = useId();
  const asked = useSignal('');
  const at = useSignal(
    Math.max(
      0,
      options.findIndex((option) => option.value === value),
    ),
  );
  const words = asked.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = options
    .filter(({ label: name, small = '' }) => {
      const text = `${name} ${small}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .slice(0, Math.max(MOST, at.value + 1));
  const current = Math.min(at.value, found.length - 1);
  const move = (to: number): void => {
    at.value = Math.max(0, Math.min(found.length - 1, to));
    document.getElementById(`${id}-${at.value}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <div class="menu picker">
      <div class="search">
        <Icon name="search" />
        <input
          autofocus
          ref={(input) => {
            if (input !== null && document.activeElement !== input && asked.peek() === '') input.focus();
          }}
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
          aria-label={texts.find(label)}
          placeholder={texts.find(label)}
          value={asked.value}
          onInput={(event) => {
            asked.value = event.currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={(event) => {
            const to = { ArrowDown: current + 1, ArrowUp: current - 1, PageDown: current + 8, PageUp: current - 8 }[
              event.key
            ];
            if (to !== undefined) move(to);
            else if (event.key === 'Enter' && found[current] !== undefined) onPick(found[current].value);
            else return;
            event.preventDefault();
          }}
        />
      </div>
      <div class="list" role="listbox" id={id} aria-label={label} tabIndex={-1}>
        {found.length === 0 && <p class="option quiet-text">{texts.noneFound}</p>}
        {found.map((option, index) => (
          <ListOption
            key={option.value}
            id={`${id}-${index}`}
            heading={option.group !== found[index - 1]?.group ? option.group : undefined}
            label={option.label}
            small={option.small}
            isCurrent={index === current}
            onPick={() => onPick(option.value)}
          />
        ))}
      </div>
    </div>
  );
}
