import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Picker } from '../../parts/picker.tsx';
import { Popover } from '../../parts/popover.tsx';
import { words } from '../words.ts';

export interface ChipProps {
  /** The part of the question, for a screen reader: `Event 1`. */
  readonly label: string;
  /** The words of the part as it is. */
  readonly children: ComponentChildren;
  /** The editor of the part, in a layer below the chip. */
  readonly edit: (close: () => void) => ComponentChildren;
  readonly onRemove?: (() => void) | undefined;
  /** Something is still to be chosen, so the chip changes nothing yet. */
  readonly isUnset?: boolean;
  /** The layer is open from the start: the chip was just added. */
  readonly startsOpen?: boolean;
}

/** A part of a question. A press opens what it says, the cross takes it away. */
export function Chip({ label, children, edit, onRemove, isUnset, startsOpen }: ChipProps) {
  const opener = useRef<HTMLButtonElement>(null);
  const isOpen = useSignal(false);
  useEffect(() => {
    if (startsOpen === true) isOpen.value = true;
  }, []);
  const close = (): void => {
    isOpen.value = false;
  };
  return (
    <span class={isUnset === true ? 'chip unset' : 'chip'}>
      <button
        ref={opener}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <span class="hidden">{label}: </span>
        {children}
      </button>
      {onRemove !== undefined && (
        <button type="button" class="x" aria-label={words.remove(label)} onClick={onRemove}>
          <Icon name="close" />
        </button>
      )}
      {isOpen.value && (
        <Popover opener={opener.current!} onClose={close}>
          <Layer label={label}>
            {edit(() => {
              close();
              opener.current?.focus();
            })}
          </Layer>
        </Popover>
      )}
    </span>
  );
}

/** The layer of a chip. The first control has the focus. */
function Layer({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(
    () => box.current!.querySelector<HTMLElement>('[aria-pressed="true"], button, input, select')?.focus(),
    [],
  );
  return (
    <div ref={box} class="menu layer" role="dialog" aria-label={label}>
      {children}
    </div>
  );
}

interface ChoiceChipProps<Name extends string> {
  readonly label: string;
  readonly value: Name;
  readonly of: readonly Name[];
  readonly names: Readonly<Record<Name, string>>;
  readonly icon?: IconName;
  readonly onChange: (value: Name) => void;
}

/** A part of a question that is one of a few. */
export function ChoiceChip<Name extends string>({ label, value, of, names, icon, onChange }: ChoiceChipProps<Name>) {
  return (
    <span class="chip">
      <Picker
        label={label}
        look=""
        value={value}
        options={of.map((name) => ({ value: name, label: names[name] }))}
        onPick={(picked) => onChange(picked as Name)}
      >
        {icon !== undefined && <Icon name={icon} />}
        <b>{names[value]}</b>
        <Icon name="down" />
      </Picker>
    </span>
  );
}

interface AddChipProps {
  readonly label: string;
  readonly icon: IconName;
  /** The icon alone says it. */
  readonly isShort?: boolean;
  readonly options: Parameters<typeof Picker>[0]['options'];
  readonly onPick: (value: string) => void;
}

/** Adds a part to a question. */
export function AddChip({ label, icon, isShort, options, onPick }: AddChipProps) {
  return (
    <Picker label={label} look="chip add tag" value="" options={options} onPick={onPick}>
      <Icon name={icon} /> {isShort !== true && label}
    </Picker>
  );
}

/** A word between the parts. */
export const Word = ({ children }: { readonly children: string }) => <span class="word">{children}</span>;
