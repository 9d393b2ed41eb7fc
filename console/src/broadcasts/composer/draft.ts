import { localOf } from '../../format.ts';
import type { Broadcast, MessageType } from '../broadcast.ts';
import { type Content, contentOf, EMPTY, messageOf } from './content.ts';
import { type Audience, partOf, segmentationsOf } from './segments.ts';

/** A broadcast as the composer has it. Numbers are texts, as they are typed. */
export interface Draft {
  readonly name: string;
  readonly type: MessageType;
  readonly content: Content;
  readonly audience: Audience;
  /** `YYYY-MM-DDTHH:MM`, of the bot's zone; empty: at once. */
  readonly date: string;
  readonly cap: string;
  readonly stop: boolean;
  readonly extraDelay: string;
}

export const NEW: Draft = {
  name: '',
  type: 'sendMessage',
  content: EMPTY,
  audience: { include: [], exclude: [] },
  date: '',
  cap: '10',
  stop: true,
  extraDelay: '0',
};

export function draftOf({ name, type, message, segmentations, settings, date_send }: Broadcast): Draft {
  return {
    name: name ?? '',
    type,
    content: contentOf(type, message),
    audience: { include: segmentations.include.map(partOf), exclude: segmentations.exclude.map(partOf) },
    date: date_send?.replace(' ', 'T') ?? '',
    cap: String(settings.intervalCap),
    stop: settings.rateLimitOnError.stop,
    extraDelay: String(settings.rateLimitOnError.extraDelay),
  };
}

/** The fields that `create` and `save` take. */
export function bodyOf({ name, type, content, audience, date, cap, stop, extraDelay }: Draft): object {
  return {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    message: messageOf(type, content),
    segmentations: segmentationsOf(audience),
    settings: { intervalCap: numberOf(cap), rateLimitOnError: { stop, extraDelay: numberOf(extraDelay) } },
    date_send: date === '' ? null : `${date.replace('T', ' ')}${date.length === 16 ? ':00' : ''}`,
  };
}

/** Text that is no number goes as it is, so that the service says where it stands. */
function numberOf(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/**
 * Drafts with changes that are not saved, by bot and id: they outlive a log-out by the service and a change of the page, as
 * long as the tab is open.
 */
export const unsaved = new Map<string, Unsaved>();

export interface Unsaved {
  readonly draft: Draft;
  /** As it was when it was loaded, or saved. */
  readonly base: Draft;
}

/** The fields of `draft` that are not as in `base`. */
export function changesOf(base: Draft, draft: Draft): Readonly<Record<string, unknown>> {
  const before = new Map(Object.entries(bodyOf(base)));
  const changes = Object.entries(bodyOf(draft)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
  );
  return Object.fromEntries(changes);
}

/** Whether `theirs` changed a field of `base`, and not to what `mine` has. */
export function isElsewhere({ draft, base }: Unsaved, theirs: Draft): boolean {
  const different = changesOf(draft, theirs);
  return Object.keys(changesOf(base, theirs)).some((name) => name in different);
}

/** Whether the draft has a time that is past. */
export const isPast = ({ date }: Draft): boolean => date !== '' && date < localOf(new Date().toISOString());
