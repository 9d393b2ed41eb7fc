import { useId, useRef } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';
import { Picker } from '../../parts/picker.tsx';
import { MODES, type Mode } from './content.ts';
import { Counter, type ShownText } from './preview.tsx';
import { words } from './words.ts';

export interface TextEditorProps {
  readonly label: string;
  readonly text: string;
  /** Null: a text of this type has no formatting. */
  readonly mode: Mode | null;
  /** Fields that a template can name. */
  readonly fields: readonly string[];
  /** How much of the platform's limit is used; null: not known. */
  readonly counted: ShownText | null;
  readonly onText: (text: string) => void;
  readonly onMode: (mode: Mode) => void;
}

/** The markup before and after a marked text. */
const MARKS = {
  HTML: { bold: ['<b>', '</b>'], italic: ['<i>', '</i>'], link: ['<a href="https://">', '</a>'] },
  MarkdownV2: { bold: ['*', '*'], italic: ['_', '_'], link: ['[', '](https://)'] },
} as const;

/** A text with tools that mark it and insert fields of the recipient. */
export function TextEditor({ label, text, mode, fields, counted, onText, onMode }: TextEditorProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const around = (before: string, after: string): void => {
    const { selectionStart: from = text.length, selectionEnd: to = text.length } = area.current ?? {};
    onText(text.slice(0, from) + before + text.slice(from, to) + after + text.slice(to));
    area.current?.focus();
  };
  const marks = mode === null || mode === '' ? null : MARKS[mode];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="editor">
        <div class="bar-of-tools">
          {marks !== null &&
            (['bold', 'italic', 'link'] as const).map((name) => (
              <button
                key={name}
                type="button"
                class="btn quiet small only-icon"
                aria-label={words.marks[name]}
                onClick={() => around(marks[name][0], marks[name][1])}
              >
                {name === 'bold' ? <b>B</b> : name === 'italic' ? <i>I</i> : <Icon name="link" />}
              </button>
            ))}
          <Picker
            label={words.insert}
            look="btn quiet small"
            value=""
            options={fields.map((field) => ({ value: field.replace(/\*$/, 'name'), label: field.replace(/\*$/, '…') }))}
            onPick={(field) => around(`{{${field}}}`, '')}
          >
            <Icon name="plus" /> {words.insert}
          </Picker>
          {mode !== null && (
            <select
              class="input"
              aria-label={words.mode}
              value={mode}
              onChange={(event) => onMode(event.currentTarget.value as Mode)}
            >
              {MODES.map((each) => (
                <option key={each} value={each}>
                  {each === '' ? words.plain : each}
                </option>
              ))}
            </select>
          )}
        </div>
        <textarea id={id} ref={area} rows={6} value={text} onInput={(event) => onText(event.currentTarget.value)} />
        {counted !== null && (
          <div class="foot">
            <Counter shown={counted} />
          </div>
        )}
      </div>
    </div>
  );
}
