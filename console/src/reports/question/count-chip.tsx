import type { ComponentChildren } from 'preact';
import { useTyped } from '../../parts/typed.ts';
import { Chip } from './chip.tsx';

interface CountChipProps {
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** The words of the chip. */
  readonly text: string;
  readonly onChange: (value: number) => void;
  /** More to choose beside the number. */
  readonly children?: ComponentChildren;
}

/** A part of a question that is a number. */
export function CountChip({ label, value, max, text, onChange, children }: CountChipProps) {
  return (
    <Chip
      label={label}
      edit={() => (
        <div class="btns">
          <CountInput label={label} value={value} max={max} onChange={onChange} />
          {children}
        </div>
      )}
    >
      <b>{text}</b>
    </Chip>
  );
}

function CountInput({ label, value, max, onChange }: Pick<CountChipProps, 'label' | 'value' | 'max' | 'onChange'>) {
  return (
    <label>
      {label}
      <input
        class="input"
        type="number"
        min={1}
        max={max}
        {...useTyped(value, (input) => {
          if (input.checkValidity() && input.value !== '') onChange(input.valueAsNumber);
        })}
      />
    </label>
  );
}
