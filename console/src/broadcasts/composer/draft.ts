import { localOf } from '../../format.ts';
import type { Broadcast, MessageType } from '../broadcast.ts';
import { type Content, contentOf, EMPTY, messageOf } from './content.ts';
import { type Audience, partOf, segmentationsOf } from './segments.ts';

/** A broadcast as the composer has it. Numbers are texts, as they are typed. */
export interface Draft {
  readonly name: string;
  readonly type: MessageType;
  /** One: the message, whose name and share do not count. More: variants. */
  readonly versions: readonly Version[];
  readonly audience: Audience;
  /** `YYYY-MM-DDTHH:MM`, of the bot's zone; empty: at once. */
  readonly date: string;
  readonly cap: string;
  readonly stop: boolean;
  readonly extraDelay: string;
  readonly trackClicks: boolean;
}

export interface Version {
  readonly name: string;
  /** Per cent of the recipients. */
  readonly share: string;
  readonly content: Content;
}

const ONLY: Version = { name: 'A', share: '100', content: EMPTY };

export const NEW: Draft = {
  name: '',
  type: 'sendMessage',
  versions: [ONLY],
  audience: { include: [], exclude: [] },
  date: '',
  cap: '10',
  stop: true,
  extraDelay: '0',
  trackClicks: false,
};

export function draftOf(broadcast: Broadcast): Draft {
  const { name, type, message, variants = [], segmentations, settings, date_send } = broadcast;
  return {
    name: name ?? '',
    type,
    versions:
      variants.length === 0
        ? [{ ...ONLY, content: contentOf(type, message) }]
        : variants.map((variant) => ({
            name: variant.name,
            share: String(variant.share),
            content: contentOf(type, variant.message),
          })),
    audience: { include: segmentations.include.map(partOf), exclude: segmentations.exclude.map(partOf) },
    date: date_send?.replace(' ', 'T') ?? '',
    cap: String(settings.intervalCap),
    stop: settings.rateLimitOnError.stop,
    extraDelay: String(settings.rateLimitOnError.extraDelay),
    trackClicks: settings.track_clicks === true,
  };
}

/** The fields that `create` and `save` take. */
export function bodyOf(draft: Draft): Readonly<Record<string, unknown>> {
  const { name, type, versions, audience, date, cap, stop, extraDelay, trackClicks } = draft;
  return {
    type,
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    ...(versions.length === 1
      ? { message: messageOf(type, versions[0]!.content) }
      : {
          variants: versions.map((version) => ({
            name: version.name.trim(),
            share: numberOf(version.share),
            message: messageOf(type, version.content),
          })),
        }),
    segmentations: segmentationsOf(audience),
    settings: {
      intervalCap: numberOf(cap),
      track_clicks: trackClicks,
      rateLimitOnError: { stop, extraDelay: numberOf(extraDelay) },
    },
    date_send: date === '' ? null : `${date.replace('T', ' ')}${date.length === 16 ? ':00' : ''}`,
  };
}

/** Text that is no number goes as it is, so that the service says where it stands. */
function numberOf(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** The path of a version's message in the problems that the service names. */
export const pathOf = ({ versions }: Draft, index: number): string =>
  versions.length === 1 ? 'message' : `variants.${index}.message`;

/** The draft with one version more; the shares are as equal as whole numbers allow. */
export function withVersion({ versions }: Draft): readonly Version[] {
  const names = 'ABCDEFGHIJ';
  const free = [...names].find((name) => versions.every((version) => version.name !== name)) ?? '';
  return shared([...versions, { ...versions.at(-1)!, name: free }]);
}

/** The draft without a version. */
export const withoutVersion = ({ versions }: Draft, index: number): readonly Version[] =>
  shared(versions.filter((_, at) => at !== index));

function shared(versions: readonly Version[]): readonly Version[] {
  const each = Math.floor(100 / versions.length);
  const more = 100 - each * versions.length;
  return versions.map((version, index) => ({ ...version, share: String(each + (index < more ? 1 : 0)) }));
}

/** The fields of `draft` that are not as in `base`. A type goes with its message: without it the message would be of another type. */
export function changesOf(base: Draft, draft: Draft): Readonly<Record<string, unknown>> {
  const before = bodyOf(base);
  const now = bodyOf(draft);
  const changes = Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
  const content = now['message'] === undefined ? 'variants' : 'message';
  const { type } = now;
  return {
    ...(type === before['type'] ? {} : { [content]: now[content] }),
    ...Object.fromEntries(changes),
  };
}

/** A draft with changes that are not saved. */
export interface Unsaved {
  readonly draft: Draft;
  /** As it was when it was loaded, or saved. */
  readonly base: Draft;
}

/** Whether `theirs` changed a field of `base`, and not to what `mine` has. */
export function isElsewhere({ draft, base }: Unsaved, theirs: Draft): boolean {
  const different = changesOf(draft, theirs);
  return Object.keys(changesOf(base, theirs)).some((name) => name in different);
}

/** Whether the draft has a time that is past. */
export const isPast = ({ date }: Draft): boolean => date !== '' && date < localOf(new Date().toISOString());
