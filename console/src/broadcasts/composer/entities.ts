/** A part of a text as the platform's clients show it; offsets are UTF-16 units, as of a JavaScript text. */
export interface Entity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

export type Span = string | { readonly entity: Entity; readonly spans: readonly Span[] };

/** The text as a tree of its entities. They come by offset, the outer one first, and each ends within the one around it. */
export function spansOf(text: string, entities: readonly Entity[]): readonly Span[] {
  let next = 0;
  return within(0, text.length);

  function within(from: number, end: number): Span[] {
    const spans: Span[] = [];
    let at = from;
    for (let entity = entities[next]; entity !== undefined && entity.offset < end; entity = entities[next]) {
      next += 1;
      const start = Math.max(at, entity.offset);
      const until = Math.min(end, entity.offset + entity.length);
      if (until <= start) continue;
      if (start > at) spans.push(text.slice(at, start));
      spans.push({ entity, spans: within(start, until) });
      at = until;
    }
    if (at < end) spans.push(text.slice(at, end));
    return spans;
  }
}
