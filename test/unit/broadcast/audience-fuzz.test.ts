import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseSegmentations } from '../../../src/domain/broadcast/audience-segmentations.ts';
import { activationProblems } from '../../../src/domain/broadcast/readiness.ts';
import type { Problem } from '../../../src/domain/problem.ts';

const WORDS = [
  ...['include', 'exclude', 'type', 'config', 'all', 'list', 'custom', 'channel', 'from_task', 'filter'],
  ...[
    'chat_ids',
    'segment_id',
    'task_id',
    'user_conditions',
    'event_filters',
    'performed_event',
    'event_id',
    'negation',
  ],
  ...['period_days', 'conditions', 'and', 'or', 'not', '=', 'not in', 'not between', 'like', 'is', 'in', 'between'],
  ...['users.user_id', 'users.custom_fields.x', 'users.date_create', 'events.date', 'events.unit', '__proto__', '\0'],
];

/** JSON of words that audiences are made of, put together anyhow. */
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'large', withCrossShrink: true },
    fc.constantFrom<unknown>(...WORDS, null, true, 0, -1, 11, 2.5, '2025-01-01 00:00:00'),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...WORDS), tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const segment = fc.oneof(
  json,
  fc.record({ type: fc.constantFrom(...WORDS), config: json }),
  json.map((user_conditions) => ({ type: 'filter', config: { user_conditions } })),
  json.map((event_filters) => ({ type: 'filter', config: { event_filters } })),
);
const segmentations = fc.oneof(
  json,
  fc.record({ include: fc.array(segment, { maxLength: 2 }), exclude: fc.array(segment, { maxLength: 2 }) }),
);

it('whatever is sent is an audience or is refused, with places that lie within it', () => {
  const seen = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(segmentations, (input) => {
      const problems: Problem[] = [];
      const options = { timezone: 'UTC', path: 'segmentations', problems, segmentIds: new Set([11]) };
      const parsed = parseSegmentations(input, options);
      seen[problems.length === 0 ? 'accepted' : 'refused'] += 1;
      for (const { path } of problems) expect(path).toMatch(/^segmentations(\.|$)/);
      if (problems.length > 0) return;
      const asked = { path: 'segmentations', broadcastId: 1, ownerId: 1, tasks: new Map() };
      for (const { path } of activationProblems(parsed, asked)) expect(path).toMatch(/^segmentations\.(in|ex)clude/);
    }),
    { numRuns: 5000 },
  );
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(100);
});
