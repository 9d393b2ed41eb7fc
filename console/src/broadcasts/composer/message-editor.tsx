import type { Detail } from '../../api.ts';
import { Icon } from '../../parts/icon.tsx';
import { Picker } from '../../parts/picker.tsx';
import { MESSAGE_TYPES, type MessageType } from '../broadcast.ts';
import { AlbumEditor } from './album-editor.tsx';
import { ButtonEditor } from './button-editor.tsx';
import { type Content, SHAPES } from './content.ts';
import type { MessagePreview } from './preview.tsx';
import { hasProblem, Problems } from './problems.tsx';
import { TextEditor } from './text-editor.tsx';
import { words } from './words.ts';

const TYPES = MESSAGE_TYPES.map((type) => ({ value: type, label: words.types[type], small: type }));

/** Chooses the type of a message. */
export function TypePicker({
  type,
  onType,
}: {
  readonly type: MessageType;
  readonly onType: (to: MessageType) => void;
}) {
  return (
    <Picker
      label={words.type}
      look="btn small"
      value={type}
      options={TYPES}
      onPick={(picked) => onType(picked as MessageType)}
    >
      {words.types[type]} <Icon name="down" />
    </Picker>
  );
}

export interface MessageEditorProps {
  readonly type: MessageType;
  readonly content: Content;
  readonly onChange: (content: Content) => void;
  /** Fields that a template can name. */
  readonly fields: readonly string[];
  readonly preview: MessagePreview | undefined;
  readonly problems: readonly Detail[];
  /** Where the message stands in problems. */
  readonly path: string;
}

/** The form of a message of any type. */
export function MessageEditor({ type, content, onChange, fields, preview, problems, path }: MessageEditorProps) {
  const { file, hasMode, hasKeyboard, flags } = SHAPES[type];
  const set = (part: Partial<Content>): void => onChange({ ...content, ...part });
  const textKey = file === undefined ? 'text' : 'caption';
  if (type === 'sendMediaGroup')
    return <AlbumEditor items={content.album} problems={problems} path={path} onChange={(album) => set({ album })} />;
  return (
    <>
      {file !== undefined && (
        <div class="field">
          <label for="file">{words.file}</label>
          <div class="with-icon">
            <Icon name="link" />
            <input
              id="file"
              class="input"
              value={content.file}
              aria-invalid={hasProblem(problems, `${path}.${file}`)}
              onInput={(event) => set({ file: event.currentTarget.value })}
            />
          </div>
          <Problems of={problems} at={`${path}.${file}`} />
        </div>
      )}
      <TextEditor
        label={words[textKey]}
        text={content.text}
        mode={hasMode === true ? content.mode : null}
        fields={fields}
        counted={preview?.[textKey] ?? null}
        onText={(text) => set({ text })}
        onMode={(mode) => set({ mode })}
      />
      <Problems of={problems} at={`${path}.${textKey}`} />
      {hasKeyboard && (
        <ButtonEditor
          rows={content.rows}
          problems={problems}
          path={`${path}.reply_markup`}
          onChange={(rows) => set({ rows })}
        />
      )}
      {flags.length > 0 && (
        <details>
          <summary class="small-text">{words.options}</summary>
          {flags.map((flag) => (
            <label class="check" key={flag}>
              <input
                type="checkbox"
                checked={content.flags[flag] === true}
                onChange={(event) => set({ flags: { ...content.flags, [flag]: event.currentTarget.checked } })}
              />
              <span>{words.flags[flag]}</span>
            </label>
          ))}
        </details>
      )}
    </>
  );
}
