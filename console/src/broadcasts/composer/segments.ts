import { filterOf, type Group, groupFrom, NO_FILTER } from '../../parts/filter.ts';
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

export interface EventRules {
  readonly join: 'and' | 'or';
  readonly items: readonly EventRule[];
}

export interface EventRule {
  /** Null: any event. */
  readonly event: number | null;
  readonly negation: boolean;
  /** Days back from the launch; 0: ever. */
  readonly days: number;
  readonly filter: Group;
}

const NO_RULES: EventRules = { join: 'and', items: [] };

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

function rulesOf({ join, items }: EventRules): readonly unknown[] | null {
  const parts = items.map(({ event, negation, days, filter }) => {
    const conditions = filterOf(filter);
    return [
      'performed_event',
      {
        ...(event === null ? {} : { event_id: event }),
        negation,
        period_days: days,
        ...(conditions === null ? {} : { conditions }),
      },
    ];
  });
  return parts.length <= 1 ? (parts[0] ?? null) : [join, ...parts];
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
      if (isWithin(given, segmentOf(part).config)) return part;
    }
  }
  return { kind: 'kept', segment };
}

/** Null: the editor cannot show them. */
function rulesFrom(filters: unknown): EventRules | null {
  if (!Array.isArray(filters) || filters.length === 0) return NO_RULES;
  const [name, ...rest] = filters as [string, ...unknown[]];
  if (name === 'performed_event') return { join: 'and', items: [ruleFrom(rest[0])] };
  const leaves = rest as readonly (readonly unknown[])[];
  if ((name !== 'and' && name !== 'or') || leaves.some(([leaf]) => leaf !== 'performed_event')) return null;
  return { join: name, items: leaves.map(([, leaf]) => ruleFrom(leaf)) };
}

function ruleFrom(leaf: unknown): EventRule {
  const given = leaf as Readonly<Record<string, unknown>>;
  return {
    event: (given['event_id'] ?? null) as number | null,
    negation: given['negation'] === true,
    days: Number(given['period_days'] ?? 0),
    filter: groupFrom(given['conditions']),
  };
}

export interface Audience {
  readonly include: readonly Part[];
  readonly exclude: readonly Part[];
}

export function segmentationsOf({ include, exclude }: Audience): Segmentations {
  return { include: include.map(segmentOf), exclude: exclude.map(segmentOf) };
}
