import type { Detail } from '../../api.ts';
import { Icon } from '../../parts/icon.tsx';
import { ACTIONS, type Action, actionOf, type Button, withAction } from './content.ts';
import { Problems } from './problems.tsx';
import { words } from './words.ts';

export interface ButtonEditorProps {
  readonly rows: readonly (readonly Button[])[];
  readonly problems: readonly Detail[];
  /** Where the keyboard stands in problems. */
  readonly path: string;
  readonly onChange: (rows: readonly (readonly Button[])[]) => void;
}

/** Rows of buttons below the message. */
export function ButtonEditor({ rows, problems, path, onChange }: ButtonEditorProps) {
  const first: Button = { text: '', url: '' };
  const change = (row: number, at: number, button: Button | null): void => {
    const buttons = button === null ? rows[row]!.filter((_, index) => index !== at) : rows[row]!.with(at, button);
    onChange(buttons.length === 0 ? rows.filter((_, index) => index !== row) : rows.with(row, buttons));
  };
  return (
    <div class="stack">
      {rows.map((row, index) => (
        <div class="group stack" key={index}>
          {row.map((button, at) => (
            <OneButton
              key={at}
              button={button}
              label={words.buttonOf(index + 1, at + 1)}
              problems={problems}
              path={`${path}.inline_keyboard.${index}.${at}`}
              onChange={(next) => change(index, at, next)}
            />
          ))}
          <button type="button" class="btn quiet small" onClick={() => onChange(rows.with(index, [...row, first]))}>
            <Icon name="plus" /> {words.addBeside}
          </button>
        </div>
      ))}
      <Problems of={problems.filter((problem) => !/\d/.test(problem.path.slice(path.length)))} at={path} />
      <button type="button" class="btn quiet small" onClick={() => onChange([...rows, [first]])}>
        <Icon name="plus" /> {words.addButton}
      </button>
    </div>
  );
}

interface OneButtonProps {
  readonly button: Button;
  readonly label: string;
  readonly problems: readonly Detail[];
  readonly path: string;
  readonly onChange: (button: Button | null) => void;
}

function OneButton({ button, label, problems, path, onChange }: OneButtonProps) {
  const does = actionOf(button);
  return (
    <div class="button-of">
      <input
        class="input"
        aria-label={`${label}: ${words.buttonText}`}
        placeholder={words.buttonText}
        value={String(button['text'] ?? '')}
        onInput={(event) => onChange({ ...button, text: event.currentTarget.value })}
      />
      {does === null ? (
        <code>{JSON.stringify(button)}</code>
      ) : (
        <>
          <select
            class="input"
            aria-label={`${label}: ${words.action}`}
            value={does.action}
            onChange={(event) => onChange(withAction(button, event.currentTarget.value as Action, does.value))}
          >
            {(Object.keys(ACTIONS) as Action[]).map((name) => (
              <option key={name} value={name}>
                {words.actions[name]}
              </option>
            ))}
          </select>
          <input
            class="input"
            aria-label={`${label}: ${words.actions[does.action]}`}
            placeholder={words.actions[does.action]}
            value={does.value}
            onInput={(event) => onChange(withAction(button, does.action, event.currentTarget.value))}
          />
        </>
      )}
      <button
        type="button"
        class="btn quiet small only-icon"
        aria-label={words.remove(label)}
        onClick={() => onChange(null)}
      >
        <Icon name="close" />
      </button>
      <Problems of={problems} at={path} />
    </div>
  );
}
