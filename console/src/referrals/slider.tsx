import { Icon } from '../parts/icon.tsx';
import { words } from './words.ts';

interface SliderProps {
  /** The last step; the first is 0. */
  readonly last: number;
  readonly value: number;
  /** The moment of the step. */
  readonly text: string;
  readonly onMove: (to: number) => void;
}

/** Moves through the changes of an account: by dragging, by keys, or one by one by the buttons. */
export function Slider({ last, value, text, onMove }: SliderProps) {
  return (
    <div class="moments">
      <button
        type="button"
        class="btn small only-icon back"
        aria-label={words.changeBefore}
        disabled={value === 0}
        onClick={() => onMove(value - 1)}
      >
        <Icon name="right" />
      </button>
      <input
        class="slider"
        type="range"
        min={0}
        max={last}
        value={value}
        aria-label={words.slider}
        aria-valuetext={text}
        onInput={(event) => onMove(Number(event.currentTarget.value))}
      />
      <button
        type="button"
        class="btn small only-icon"
        aria-label={words.nextChange}
        disabled={value === last}
        onClick={() => onMove(value + 1)}
      >
        <Icon name="right" />
      </button>
    </div>
  );
}
