import { quoted } from '../../parts/quoted.ts';
import type { Fact } from './facts.tsx';
import type { AudienceNames } from './names.ts';
import type { Audience, Part } from './segments.ts';
import { words } from './words.ts';

/** Names a part of an audience. @param names absent: they are not known yet, or not to this key */
export function titleOf(part: Part, names?: AudienceNames): string {
  switch (part.kind) {
    case 'saved': {
      const found = names?.saved.find(({ id }) => String(id) === part.id);
      if (part.id === '') return words.segments.saved;
      return found === undefined ? words.savedSegment(part.id) : words.inSegment(quoted(found.name));
    }
    case 'from_task': {
      const found = names?.tasks.find(({ id }) => String(id) === part.task);
      if (part.task === '') return words.segments.from_task;
      return words.recipientsOf(found === undefined ? words.broadcastNo(part.task) : quoted(found.name));
    }
    case 'kept': {
      const { type, config } = part.segment;
      if (type === 'custom') return words.customSegment(String(config?.['segment_id']));
      return type === 'filter' ? words.keptFilter : words.segments.channel;
    }
    default:
      return words.segments[part.kind];
  }
}

/** The audience in words. */
export function audienceFacts({ include, exclude }: Audience, names?: AudienceNames): Fact[] {
  const named = (parts: readonly Part[]): string => parts.map((part) => titleOf(part, names)).join(words.or);
  return [
    [words.include, named(include) || '–'],
    [words.exclude, named(exclude)],
  ];
}
