import { type ComponentChildren, Fragment } from 'preact';
import type { Detail } from '../../api.ts';
import { number } from '../../format.ts';
import { Cut } from '../../parts/cut.tsx';
import { type Entity, type Span, spansOf } from './entities.ts';
import { words } from './words.ts';

/** A message as the API previews it (docs/http-api.md, POST /v1/broadcast/preview). */
export interface MessagePreview {
  readonly user: { readonly user_id: number; readonly first_name: string | null; readonly invented: boolean };
  readonly text: ShownText | null;
  readonly caption: ShownText | null;
  readonly media: readonly { readonly type: string; readonly media: string; readonly caption: ShownText | null }[];
  readonly buttons: readonly (readonly { readonly text: string; readonly action: string | null }[])[];
  readonly problems: readonly Detail[];
}

export interface ShownText {
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly characters: number;
  readonly limit: number;
}

export interface PreviewProps {
  readonly preview: MessagePreview;
  /** The name of the bot. */
  readonly bot: string;
}

/** A message as the messenger shows it, with its buttons below. */
export function Preview({ preview, bot }: PreviewProps) {
  const { user, text, caption, media, buttons } = preview;
  return (
    <section class="stack" aria-label={words.preview}>
      <div class="chat">
        <header>
          <span class="avatar small k3" aria-hidden="true">
            {[...bot][0]}
          </span>
          <bdi class="cut" title={bot}>
            {bot}
          </bdi>
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard */}
        {/* biome-ignore lint/a11y/useSemanticElements: a text is no group of fields */}
        <div class="bubble" role="group" tabIndex={0} aria-label={words.message}>
          {media.map((item, index) => (
            <Fragment key={index}>
              <div class="file">
                <b>{words.kinds[item.type as keyof typeof words.kinds] ?? item.type}</b> <span>{item.media}</span>
              </div>
              {item.caption !== null && <Marked shown={item.caption} />}
            </Fragment>
          ))}
          {text !== null && <Marked shown={text} />}
          {caption !== null && <Marked shown={caption} />}
          {text === null && caption === null && media.length === 0 && <p class="quiet-text">{words.nothingYet}</p>}
        </div>
        {buttons.map((row, index) => (
          <div class="keyboard" key={index}>
            {row.map((button, at) => (
              <span key={at}>{button.text}</span>
            ))}
          </div>
        ))}
      </div>
      <p class="quiet-text small-text">
        {user.invented ? words.invented : <Recipient {...user} />}
        {media.length > 0 && ` ${words.fileNotShown}`}
      </p>
    </section>
  );
}

function Recipient({ user_id, first_name }: MessagePreview['user']) {
  const [as, getsIt] = words.previewFor;
  return (
    <>
      {as} <Cut text={first_name ?? ''} /> {getsIt(user_id)}
    </>
  );
}

/** How many of the characters that the platform allows are used. */
export function Counter({ shown }: { readonly shown: ShownText }) {
  const { characters, limit } = shown;
  return (
    <span class={characters > limit ? 'failure' : 'quiet-text'}>
      {words.characters(number(characters), number(limit))}
    </span>
  );
}

function Marked({ shown }: { readonly shown: ShownText }) {
  return <div class="marked">{nodes(spansOf(shown.text, shown.entities))}</div>;
}

const nodes = (spans: readonly Span[]): ComponentChildren =>
  spans.map((span, index) =>
    typeof span === 'string' ? span : <Node key={index} entity={span.entity} inner={nodes(span.spans)} />,
  );

/** A link shows where it leads and leads nowhere: a preview is looked at, and its addresses are foreign. */
function Node({ entity, inner }: { readonly entity: Entity; readonly inner: ComponentChildren }) {
  switch (entity.type) {
    case 'bold':
      return <b>{inner}</b>;
    case 'italic':
      return <i>{inner}</i>;
    case 'underline':
      return <u>{inner}</u>;
    case 'strikethrough':
      return <s>{inner}</s>;
    case 'code':
      return <code>{inner}</code>;
    case 'pre':
      return <pre>{inner}</pre>;
    case 'blockquote':
    case 'expandable_blockquote':
      return <blockquote>{inner}</blockquote>;
    case 'text_link':
      return (
        <span class="link" title={entity.url}>
          {inner}
        </span>
      );
    default:
      return <span class={entity.type}>{inner}</span>;
  }
}
