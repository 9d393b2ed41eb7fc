import { useRef } from 'preact/hooks';
import type { Detail } from '../../api.ts';
import { MESSAGE_TYPES, type MessageType } from '../broadcast.ts';
import { ButtonEditor } from './button-editor.tsx';
import { type AlbumItem, type Content, MODES, type Mode, SHAPES } from './content.ts';
import { Counter, type MessagePreview } from './preview.tsx';
import { Problems } from './problems.tsx';
import { words } from './words.ts';

export interface MessageEditorProps {
  readonly type: MessageType;
  readonly content: Content;
  /** A saved draft keeps its type. */
  readonly onType: ((type: MessageType) => void) | null;
  readonly onChange: (content: Content) => void;
  readonly fields: readonly string[];
  readonly preview: MessagePreview | undefined;
  readonly problems: readonly Detail[];
}

/** The form of a message of any type. */
export function MessageEditor({ type, content, onType, onChange, fields, preview, problems }: MessageEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const { file, hasMode, hasKeyboard, flags } = SHAPES[type];
  const set = (part: Partial<Content>): void => onChange({ ...content, ...part });
  const textKey = file === undefined ? 'text' : 'caption';
  const counted = preview?.[textKey];

  function insert(field: string): void {
    const { selectionStart = content.text.length, selectionEnd = content.text.length } = area.current ?? {};
    set({ text: `${content.text.slice(0, selectionStart)}{{${field}}}${content.text.slice(selectionEnd)}` });
    area.current?.focus();
  }

  return (
    <fieldset>
      <legend>{words.message}</legend>
      <div class="stack">
        <label>
          {words.type}
          <select
            class="input"
            value={type}
            disabled={onType === null}
            onChange={(event) => onType?.(event.currentTarget.value as MessageType)}
          >
            {MESSAGE_TYPES.map((name) => (
              <option key={name} value={name}>
                {words.types[name]}
              </option>
            ))}
          </select>
        </label>
        {onType === null && <p class="quiet-text">{words.typeFixed}</p>}
        {file !== undefined && (
          <label class="full">
            {words.file}
            <input class="input" value={content.file} onInput={(event) => set({ file: event.currentTarget.value })} />
            <Problems of={problems} at={`message.${file}`} />
          </label>
        )}
        {type === 'sendMediaGroup' ? (
          <Album items={content.album} problems={problems} onChange={(album) => set({ album })} />
        ) : (
          <>
            <label class="full">
              {words[textKey]}
              <textarea
                class="input"
                ref={area}
                rows={6}
                value={content.text}
                onInput={(event) => set({ text: event.currentTarget.value })}
              />
            </label>
            <div class="btns">
              {counted != null && <Counter shown={counted} />}
              <Problems of={problems} at={`message.${textKey}`} />
            </div>
            <div class="btns">
              {hasMode && (
                <label>
                  {words.mode}
                  <select
                    class="input"
                    value={content.mode}
                    onChange={(event) => set({ mode: event.currentTarget.value as Mode })}
                  >
                    {MODES.map((mode) => (
                      <option key={mode} value={mode}>
                        {mode === '' ? words.plain : mode}
                      </option>
                    ))}
                  </select>
                </label>
              )}
              <label>
                {words.insert}
                <select
                  class="input"
                  value=""
                  onChange={(event) => {
                    insert(event.currentTarget.value);
                    event.currentTarget.value = '';
                  }}
                >
                  <option value="">…</option>
                  {fields.map((field) => (
                    <option key={field} value={field.replace(/\*$/, 'name')}>
                      {field.replace(/\*$/, '…')}
                    </option>
                  ))}
                </select>
              </label>
            </div>
          </>
        )}
        {hasKeyboard && <ButtonEditor rows={content.rows} problems={problems} onChange={(rows) => set({ rows })} />}
        {flags.map((flag) => (
          <label key={flag}>
            <input
              type="checkbox"
              checked={content.flags[flag] === true}
              onChange={(event) => set({ flags: { ...content.flags, [flag]: event.currentTarget.checked } })}
            />
            {words.flags[flag]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface AlbumProps {
  readonly items: readonly AlbumItem[];
  readonly problems: readonly Detail[];
  readonly onChange: (items: readonly AlbumItem[]) => void;
}

function Album({ items, problems, onChange }: AlbumProps) {
  const change = (index: number, part: Partial<AlbumItem>): void =>
    onChange(items.with(index, { ...items[index]!, ...part }));
  return (
    <>
      {items.map((item, index) => (
        <div class="btns" key={index}>
          <select
            class="input"
            aria-label={words.kind}
            value={item.type}
            onChange={(event) => change(index, { type: event.currentTarget.value as AlbumItem['type'] })}
          >
            <option value="photo">{words.kinds.photo}</option>
            <option value="video">{words.kinds.video}</option>
          </select>
          <input
            class="input"
            aria-label={words.fileOf(index + 1)}
            placeholder={words.file}
            value={item.media}
            onInput={(event) => change(index, { media: event.currentTarget.value })}
          />
          <input
            class="input"
            aria-label={words.captionOf(index + 1)}
            placeholder={words.caption}
            value={item.caption}
            onInput={(event) => change(index, { caption: event.currentTarget.value })}
          />
          <button
            type="button"
            class="btn quiet small"
            aria-label={words.remove(words.fileOf(index + 1))}
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          >
            ×
          </button>
          <Problems of={problems} at={`message.media.${index}`} />
        </div>
      ))}
      <Problems of={problems.filter(({ path }) => path === 'message.media')} at="message.media" />
      <button
        type="button"
        class="btn quiet small"
        onClick={() => onChange([...items, { type: 'photo', media: '', caption: '' }])}
      >
        + {words.addFile}
      </button>
    </>
  );
}
