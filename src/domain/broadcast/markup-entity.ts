/** How the platform's clients show a part of a text (https://core.telegram.org/bots/api#messageentity). */
export const ENTITY_TYPES = [
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'code',
  'pre',
  'text_link',
  'custom_emoji',
  'blockquote',
  'expandable_blockquote',
] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

export interface Entity {
  readonly type: EntityType;
  /** UTF-16 units from the start of the visible text, as the platform counts. */
  readonly offset: number;
  readonly length: number;
  /** Of a link. */
  readonly url?: string;
  /** Of a block of code, where it is named. */
  readonly language?: string;
}

/** A text as readers see it: without its markup, with the entities that the markup made. */
export interface Markup {
  readonly text: string;
  /** By offset; of two at one offset the outer one first. */
  readonly entities: readonly Entity[];
}

/** Collects the entities of a text in the order in which they end. Empty ones do not exist for the platform. */
export function markupOf(text: string, ended: readonly Entity[]): Markup {
  const entities = ended
    .filter(({ length }) => length > 0)
    // The later one ends, the further out it is.
    .toReversed()
    .toSorted((a, b) => a.offset - b.offset || b.length - a.length);
  return { text, entities };
}
