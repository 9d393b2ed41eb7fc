import type { KnownEvent } from './catalog.ts';
import { nameOfEvent } from './event-words.ts';
import { fieldWords } from './field-words.ts';

const KINDS = ['custom', 'target', 'system'] as const;

/**
 * The events to choose from, by what they belong to, the most frequent first.
 * @param chosen it is shown although it is hidden
 */
export function eventOptions(events: readonly KnownEvent[], chosen?: number | null) {
  const shown = events.filter(({ hidden, event_id }) => !hidden || event_id === chosen);
  return KINDS.flatMap((kind) =>
    shown
      .filter((event) => event.kind === kind)
      .toSorted((a, b) => b.count - a.count)
      .map((event) => ({
        value: String(event.event_id),
        label: nameOfEvent(event),
        small: `${event.name} · ${fieldWords.times(event.count.toLocaleString('en-US'))}`,
        group: fieldWords.events[kind],
      })),
  );
}
