import type { SavedSegments } from '../../domain/broadcast/audience-segmentations.ts';
import type { Problem } from '../../domain/problem.ts';
import type { NamedSavedSegment } from '../../domain/reports/warnings.ts';
import { NO_SAVED_SEGMENT } from '../../domain/saved-segments/saved-segment.ts';
import { type SavedSegmentSources, savedConditions } from '../saved-segments/find-saved-segments.ts';

/** Finds the saved segments that a report names, and a problem for each that its bot does not have. */
export type FindNamedSegments = (
  bot: { readonly public_key: string; readonly timezone: string },
  named: readonly NamedSavedSegment[],
) => Promise<{ readonly savedSegments: SavedSegments; readonly problems: readonly Problem[] }>;

export function findNamedSegments(sources: SavedSegmentSources): FindNamedSegments {
  return async (bot, named) => {
    const savedSegments = await savedConditions(sources, bot, [...new Set(named.map(({ id }) => id))]);
    const unknown = named.filter(({ id }) => !savedSegments.has(id));
    return { savedSegments, problems: unknown.map(({ path }) => ({ path, message: NO_SAVED_SEGMENT })) };
  };
}
