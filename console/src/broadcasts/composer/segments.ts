import { areWhole, type EventRules, NO_RULES, rulesFrom, rulesOf } from '../../parts/event-rules.ts';
import { filterOf, type Group, groupFrom, isWhole, NO_FILTER, withoutSingles } from '../../parts/filter.ts';
import { isWithin } from '../../parts/within.ts';
import type { Segment, Segmentations } from '../broadcast.ts';

/** A segment of an audience as its editor has it. */
export type Part =
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly users: Group; readonly events: EventRules }
  /** Chat ids as they were typed. */
  | { readonly kind: 'list'; readonly text: string }
  | { readonly kind: 'from_task'; readonly task: string }
  /** Number of a saved segment; empty: none is chosen yet. */
  | { readonly kind: 'saved'; readonly id: string }
  /** A list that belongs to the draft, or a filter that the editor cannot show: kept as it is. */
  | { readonly kind: 'kept'; readonly segment: Segment };

export function newPart(kind: Exclude<Part['kind'], 'kept'>): Part {
  switch (kind) {
    case 'all':
      return { kind };
    case 'filter':
      return { kind, users: NO_FILTER, events: NO_RULES };
    case 'list':
      return { kind, text: '' };
    case 'from_task':
      return { kind, task: '' };
    case 'saved':
      return { kind, id: '' };
  }
}

export function segmentOf(part: Part): Segment {
  switch (part.kind) {
    case 'all':
      return { type: 'all', config: {} };
    case 'filter': {
      const [users, events] = [filterOf(part.users), rulesOf(part.events)];
      return {
        type: 'filter',
        config: {
          ...(users === null ? {} : { user_conditions: users }),
          ...(events === null ? {} : { event_filters: events }),
        },
      };
    }
    case 'list':
      return {
        type: 'list',
        config: {
          chat_ids: part.text
            .split(/[\s,;]+/)
            .filter(Boolean)
            .map(idOf),
        },
      };
    case 'from_task':
      return { type: 'from_task', config: { task_id: part.task === '' ? null : idOf(part.task) } };
    case 'saved':
      return { type: 'saved', config: { saved_segment_id: part.id === '' ? null : idOf(part.id) } };
    case 'kept':
      return part.segment;
  }
}

/** Text that is no number goes as it is, so that the service says where it stands. */
function idOf(text: string): number | string {
  return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

export function partOf(segment: Segment): Part {
  const { type, config } = segment;
  const given = config ?? {};
  if (type === 'all') return { kind: 'all' };
  if (type === 'list') return { kind: 'list', text: (given['chat_ids'] as readonly unknown[]).join('\n') };
  if (type === 'from_task') return { kind: 'from_task', task: String(given['task_id']) };
  if (type === 'saved') return { kind: 'saved', id: String(given['saved_segment_id']) };
  if (type === 'filter') {
    const events = rulesFrom(given['event_filters']);
    if (events !== null) {
      const part: Part = { kind: 'filter', users: groupFrom(given['user_conditions']), events };
      const plain = Object.fromEntries(Object.entries(given).map(([key, filter]) => [key, withoutSingles(filter)]));
      if (isWithin(plain, segmentOf(part).config)) return part;
    }
  }
  return { kind: 'kept', segment };
}

export interface Audience {
  readonly include: readonly Part[];
  readonly exclude: readonly Part[];
}

export function segmentationsOf({ include, exclude }: Audience): Segmentations {
  return { include: include.map(segmentOf), exclude: exclude.map(segmentOf) };
}

/** The paths of the segments with a condition that has no value yet: without it they would be of more people. */
export function unfinishedIn(audience: Audience): readonly string[] {
  return (['include', 'exclude'] as const).flatMap((side) =>
    audience[side].flatMap((part, index) =>
      part.kind !== 'filter' || (isWhole(part.users) && areWhole(part.events))
        ? []
        : [`segmentations.${side}.${index}`],
    ),
  );
}
