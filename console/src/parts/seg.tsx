export interface SegProps<Value extends string> {
  readonly label: string;
  readonly value: Value | undefined;
  /** The values with their words, in order: few and short. */
  readonly of: Readonly<Record<Value, string>>;
  readonly onPick: (value: Value) => void;
}

/** Chooses one of a few. Arrow keys move. */
export function Seg<Value extends string>({ label, value, of, onPick }: SegProps<Value>) {
  const entries = Object.entries(of) as [Value, string][];
  const at = Math.max(
    0,
    entries.findIndex(([each]) => each === value),
  );
  return (
    <div
      class="seg"
      role="radiogroup"
      aria-label={label}
      onKeyDown={(event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        const next = (at + step + entries.length) % entries.length;
        (event.currentTarget.children[next] as HTMLElement).focus();
        onPick(entries[next]![0]);
      }}
    >
      {entries.map(([each, text], index) => (
        // biome-ignore lint/a11y/useSemanticElements: a radio button of a form has another look
        <button
          key={each}
          type="button"
          role="radio"
          aria-checked={each === value}
          tabIndex={index === at ? 0 : -1}
          onClick={() => onPick(each)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
