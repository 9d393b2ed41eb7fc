import type { Detail } from '../../api.ts';
import { Icon } from '../../parts/icon.tsx';
import type { AlbumItem } from './content.ts';
import { Problems } from './problems.tsx';
import { words } from './words.ts';

interface AlbumEditorProps {
  readonly items: readonly AlbumItem[];
  readonly problems: readonly Detail[];
  /** Where the message stands in problems. */
  readonly path: string;
  readonly onChange: (items: readonly AlbumItem[]) => void;
}

/** The files of an album. */
export function AlbumEditor({ items, problems, path, onChange }: AlbumEditorProps) {
  const change = (index: number, part: Partial<AlbumItem>): void =>
    onChange(items.with(index, { ...items[index]!, ...part }));
  return (
    <>
      {items.map((item, index) => (
        <div class="button-of" key={index}>
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
            class="btn quiet small only-icon"
            aria-label={words.remove(words.fileOf(index + 1))}
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          >
            <Icon name="close" />
          </button>
          <Problems of={problems} at={`${path}.media.${index}`} />
        </div>
      ))}
      <Problems of={problems.filter((problem) => problem.path === `${path}.media`)} at={`${path}.media`} />
      <button
        type="button"
        class="btn quiet small"
        onClick={() => onChange([...items, { type: 'photo', media: '', caption: '' }])}
      >
        <Icon name="plus" /> {words.addFile}
      </button>
    </>
  );
}
