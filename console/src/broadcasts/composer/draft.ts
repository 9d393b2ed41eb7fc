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
export const unsaved = new Map<string, Draft>();
