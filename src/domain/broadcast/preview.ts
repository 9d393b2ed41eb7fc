import { type Problem, under } from '../problem.ts';
import { isJsonObject, type JsonObject, property } from '../storable-json.ts';
import type { MessageType } from './broadcast-events.ts';
import { type ParseMode, parseMarkup, parseModeOf } from './markup.ts';
import type { Markup } from './markup-entity.ts';
import { MarkupError } from './markup-html.ts';
import { CAPTION_BOUNDS, parseMessage, TEXT_BOUNDS } from './message.ts';
import { prepareMessage } from './sending-message.ts';
import { TemplateError, type TemplateUser } from './template.ts';
import { type Bounds, renderedProblem } from './template-check.ts';

/** A message as one recipient would see it (decisions.md#message-preview). */
export interface Preview {
  readonly text: ShownText | null;
  /** Of a single file; the files of an album stand in `media`. */
  readonly caption: ShownText | null;
  readonly media: readonly ShownMedia[];
  /** Rows of the inline keyboard. */
  readonly buttons: readonly (readonly ShownButton[])[];
  /** Problems that create would refuse, and the platform for this recipient. */
  readonly problems: readonly Problem[];
}

interface ShownText extends Markup {
  /** Code points without markup and the blanks around it, as the platform counts. */
  readonly characters: number;
  readonly limit: number;
}

interface ShownMedia {
  /** `photo`, `video`, `document`, `animation`, `audio` or `voice`. */
  readonly type: string;
  /** Its address or its file_id. */
  readonly media: string;
  readonly caption: ShownText | null;
}

interface ShownButton {
  readonly text: string;
  /** The name that the platform has for its action, such as `url`; null: none yet. */
  readonly action: string | null;
  /** The address or the text that the action carries; null: an object, or nothing. */
  readonly value: string | null;
}

const MESSAGE = 'message';

/**
 * Renders a message for a user, by the code that sends it, and reads its markup. Never throws for a wrong message: a
 * wrong part is shown as it was written, and is in `problems`.
 */
export function previewMessage(type: MessageType, message: unknown, user: TemplateUser): Preview {
  const problems: Problem[] = [];
  const checked: JsonObject = { ...parseMessage(type, message, MESSAGE, problems) };
  const given = isJsonObject(message) ? message : {};
  const wrong = new Set(problems.map(({ path }) => path.split('.')[1]));
  const right = Object.fromEntries(Object.entries(checked).filter(([key]) => !wrong.has(key)));
  const sent: JsonObject = { ...given, ...rendered(type, right, user, problems) };
  const mode = typeof right['parse_mode'] === 'string' ? (parseModeOf(right['parse_mode']) ?? null) : null;

  /** @param isRight whether the author's text has no problem itself */
  const shown = (value: unknown, bounds: Bounds, path: string, of: ParseMode | null, isRight: boolean) => {
    if (typeof value !== 'string') return null;
    const problem = isRight ? renderedProblem(value, of, bounds) : undefined;
    if (problem !== undefined) problems.push({ path, message: problem });
    return shownText(value, of, bounds.max);
  };
  const media = mediaOf(type, sent).map(({ type: kind, media: file, caption }, index): ShownMedia => {
    const at = under(under(MESSAGE, `media.${index}`), 'caption');
    return { type: kind, media: file, caption: shown(caption, CAPTION_BOUNDS, at, null, !wrong.has('media')) };
  });
  return {
    text: shown(sent['text'], TEXT_BOUNDS, under(MESSAGE, 'text'), mode, !wrong.has('text')),
    caption: shown(sent['caption'], CAPTION_BOUNDS, under(MESSAGE, 'caption'), mode, !wrong.has('caption')),
    media,
    buttons: buttonsOf(sent['reply_markup']),
    problems,
  };
}

/** The parameters of the platform's call. Adds why they cannot be made for this user. */
function rendered(type: MessageType, content: JsonObject, user: TemplateUser, problems: Problem[]): JsonObject {
  try {
    return prepareMessage(type, content, false).parameters(user, new Map());
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    problems.push({ path: MESSAGE, message: `the template failed: ${error.message}` });
    return {};
  }
}

function shownText(value: string, mode: ParseMode | null, limit: number): ShownText {
  const markup = readable(value, mode);
  return { ...markup, characters: [...markup.text.trim()].length, limit };
}

/** Markup that the platform refuses is shown as it was written. */
function readable(value: string, mode: ParseMode | null): Markup {
  try {
    return parseMarkup(value, mode);
  } catch (error) {
    if (!(error instanceof MarkupError)) throw error;
    return { text: value, entities: [] };
  }
}

const KINDS: Readonly<Partial<Record<MessageType, string>>> = {
  sendPhoto: 'photo',
  sendVideo: 'video',
  sendDocument: 'document',
  sendAnimation: 'animation',
  sendAudio: 'audio',
  sendVoice: 'voice',
};

/** The files of a message; a wrong item counts with its readable fields. */
function mediaOf(type: MessageType, sent: JsonObject): { type: string; media: string; caption: unknown }[] {
  const kind = KINDS[type];
  if (kind !== undefined) {
    const media = sent[kind];
    return typeof media === 'string' ? [{ type: kind, media, caption: null }] : [];
  }
  return listOf(sent['media'])
    .filter(isJsonObject)
    .map((item) => ({
      type: textOf(property(item, 'type')),
      media: textOf(property(item, 'media')),
      caption: property(item, 'caption'),
    }));
}

function buttonsOf(markup: unknown): ShownButton[][] {
  const rows = isJsonObject(markup) ? listOf(property(markup, 'inline_keyboard')) : [];
  return rows.map((row) => listOf(row).filter(isJsonObject).map(buttonOf));
}

/** Fields of a button that are no action. */
const LOOKS = ['text', 'icon_custom_emoji_id', 'style'];

function buttonOf(button: JsonObject): ShownButton {
  const action = Object.keys(button).find((key) => !LOOKS.includes(key)) ?? null;
  const value = action === null ? null : button[action];
  return { text: textOf(property(button, 'text')), action, value: typeof value === 'string' ? value : null };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
