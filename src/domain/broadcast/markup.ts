import { htmlText } from './markup-html.ts';
import { markdownText } from './markup-markdown.ts';

/** How the platform reads markup in a text, by the name that it gives to it (https://core.telegram.org/bots/api). */
export const PARSE_MODES = ['HTML', 'MarkdownV2'] as const;
export type ParseMode = (typeof PARSE_MODES)[number];

/** The mode of a name, which the platform takes in capitals and small letters alike. */
export function parseModeOf(name: string): ParseMode | undefined {
  return PARSE_MODES.find((mode) => mode.toLowerCase() === name.toLowerCase());
}

/** The text that readers see. @param mode null: all of it @throws MarkupError */
export function visibleText(text: string, mode: ParseMode | null): string {
  switch (mode) {
    case 'HTML':
      return htmlText(text);
    case 'MarkdownV2':
      return markdownText(text);
    case null:
      return text;
  }
}
