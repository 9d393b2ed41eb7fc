import type { MessageType } from '../broadcast.ts';

/** All that a message of any type can have, so that a change of the type loses nothing. */
export interface Content {
  /** The text, or the caption of a file. */
  readonly text: string;
  readonly mode: Mode;
  /** Address or file_id of a single file. */
  readonly file: string;
  readonly album: readonly AlbumItem[];
  readonly rows: readonly (readonly Button[])[];
  readonly flags: Readonly<Partial<Record<Flag, boolean>>>;
}

export const MODES = ['', 'HTML', 'MarkdownV2'] as const;
export type Mode = (typeof MODES)[number];
const FLAGS = ['disable_notification', 'protect_content', 'pin_message'] as const;
type Flag = (typeof FLAGS)[number];

export interface AlbumItem {
  readonly type: 'photo' | 'video';
  readonly media: string;
  readonly caption: string;
}

/** A button by the platform's names. What the editor does not know stays as it is. */
export type Button = Readonly<Record<string, unknown>>;

/** The actions that the editor offers, and where their text stands. */
export const ACTIONS = {
  url: null,
  callback_data: null,
  web_app: 'url',
  copy_text: 'text',
} as const;
export type Action = keyof typeof ACTIONS;

interface Shape {
  /** The field of the single file. */
  readonly file?: string;
  readonly hasMode?: true;
  readonly hasKeyboard?: true;
  readonly flags: readonly Flag[];
}

/** The fields of each type (docs/interface.md, "Message content by type"). */
export const SHAPES: Readonly<Record<MessageType, Shape>> = {
  sendMessage: { hasMode: true, hasKeyboard: true, flags: FLAGS },
  sendPhoto: { file: 'photo', hasMode: true, hasKeyboard: true, flags: ['pin_message'] },
  sendVideo: { file: 'video', hasMode: true, hasKeyboard: true, flags: ['pin_message'] },
  sendDocument: { file: 'document', hasMode: true, flags: [] },
  sendAnimation: { file: 'animation', hasMode: true, flags: [] },
  sendAudio: { file: 'audio', flags: [] },
  sendVoice: { file: 'voice', flags: [] },
  sendMediaGroup: { flags: [] },
};

export const EMPTY: Content = { text: '', mode: '', file: '', album: [], rows: [], flags: {} };

/** The message as the API takes it; what is empty is left out. */
export function messageOf(type: MessageType, content: Content): Readonly<Record<string, unknown>> {
  const { file, hasMode, hasKeyboard, flags } = SHAPES[type];
  const { text, mode, rows, album } = content;
  if (type === 'sendMediaGroup')
    return album.length === 0
      ? {}
      : { media: album.map(({ caption, ...item }) => (caption === '' ? item : { ...item, caption })) };
  const kept = rows.filter((row) => row.length > 0);
  return {
    ...(file === undefined || content.file === '' ? {} : { [file]: content.file }),
    ...(text === '' ? {} : { [file === undefined ? 'text' : 'caption']: text }),
    ...(hasMode && mode !== '' ? { parse_mode: mode } : {}),
    ...(hasKeyboard && kept.length > 0 ? { reply_markup: { inline_keyboard: kept } } : {}),
    ...Object.fromEntries(flags.filter((flag) => content.flags[flag]).map((flag) => [flag, true])),
  };
}

/** The content of a message of the API. */
export function contentOf(type: MessageType, message: Readonly<Record<string, unknown>>): Content {
  const text = (key: string): string => String(message[key] ?? '');
  const { file } = SHAPES[type];
  const mode = MODES.find((name) => name.toLowerCase() === text('parse_mode').toLowerCase()) ?? '';
  const keyboard = message['reply_markup'] as { readonly inline_keyboard?: Content['rows'] } | undefined;
  const media = (message['media'] ?? []) as readonly Partial<AlbumItem>[];
  return {
    text: text(file === undefined ? 'text' : 'caption'),
    mode,
    file: file === undefined ? '' : text(file),
    album: media.map((item) => ({ type: item.type ?? 'photo', media: item.media ?? '', caption: item.caption ?? '' })),
    rows: keyboard?.inline_keyboard ?? [],
    flags: Object.fromEntries(FLAGS.map((flag) => [flag, message[flag] === true])),
  };
}

/** The action of a button; null: one that the editor does not offer. */
export function actionOf(button: Button): { readonly action: Action; readonly value: string } | null {
  const action = (Object.keys(ACTIONS) as Action[]).find((name) => button[name] !== undefined);
  if (action === undefined) return null;
  const inner = ACTIONS[action];
  const given = button[action];
  return { action, value: String(inner === null ? given : ((given as Button)[inner] ?? '')) };
}

/** The button with another action; its looks stay. */
export function withAction(button: Button, action: Action, value: string): Button {
  const others = Object.entries(button).filter(([key]) => !(key in ACTIONS));
  const inner = ACTIONS[action];
  return { ...Object.fromEntries(others), [action]: inner === null ? value : { [inner]: value } };
}
