import { describe, expect, it } from 'vitest';
import {
  parseSegmentations,
  type SavedSegments,
  savedSegmentIdsIn,
} from '../../../src/domain/broadcast/audience-segmentations.ts';
import type { Problem } from '../../../src/domain/problem.ts';

const all = { type: 'all', config: {} };

describe('saved segments in segmentations', () => {
  const saved = (id: unknown) => ({ type: 'saved', config: { saved_segment_id: id } });
  const users = { type: 'missing', field: { name: 'user.gender' } } as never;
  const known = new Map([[7, { users, events: null }]]);
  const check = (input: unknown, savedSegments: SavedSegments | null) => {
    const problems: Problem[] = [];
    const options = { timezone: 'UTC', path: 'segmentations', problems, segmentIds: null, savedSegments };
    return { segmentations: parseSegmentations(input, options), problems };
  };

  it('stand for the filter with their conditions', () => {
    const { segmentations, problems } = check({ include: [saved(7)], exclude: [all, saved(7)] }, known);
    const filter = { type: 'filter', users, events: null };
    expect({ segmentations, problems }).toEqual({
      segmentations: { include: [filter], exclude: [{ type: 'all' }, filter] },
      problems: [],
    });
  });

  it('that the bot does not have are refused at the id, as are values that are no ids', () => {
    const { problems } = check({ include: [all, saved(8)], exclude: [saved('7')] }, known);
    expect(problems).toEqual([
      {
        path: 'segmentations.include.1.config.saved_segment_id',
        message: 'the bot has no saved segment with this id',
      },
      { path: 'segmentations.exclude.0.config.saved_segment_id', message: 'expected a positive integer' },
    ]);
    expect(check({ include: [saved(8)] }, null)).toEqual({ segmentations: { include: [], exclude: [] }, problems: [] });
  });

  it('are at most 10', () => {
    const list = (count: number) => ({ include: Array.from({ length: count }, () => saved(7)), exclude: [saved(7)] });
    expect(check(list(9), known).problems).toEqual([]);
    expect(check(list(10), known).problems).toEqual([
      { path: 'segmentations', message: 'more than 10 saved segments' },
    ]);
  });

  it('are found by their ids in segmentations of any shape', () => {
    const given = {
      include: [saved(7), saved(7), saved('x'), null, { type: 'filter' }, 5],
      exclude: [saved(9), saved(0)],
    };
    expect(savedSegmentIdsIn(given)).toEqual([7, 9]);
    for (const nothing of [null, 5, [], { include: 5 }, { include: [{ type: 'saved' }] }])
      expect(savedSegmentIdsIn(nothing)).toEqual([]);
  });
});
