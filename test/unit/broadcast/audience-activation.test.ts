import { expect, it } from 'vitest';
import { storedSegmentations } from '../../../src/domain/broadcast/audience-segmentations.ts';
import { activationProblems, type TaskSource } from '../../../src/domain/broadcast/readiness.ts';

const TASKS = new Map<number, TaskSource>([
  [1, { frozen: true }],
  [2, { frozen: false }],
  [5, { frozen: true }],
]);

function problems(segmentations: object, broadcastId: number | null = 5) {
  const checked = storedSegmentations(JSON.stringify(segmentations), 'UTC');
  return activationProblems(checked, { path: 'segmentations', broadcastId, tasks: TASKS });
}

const all = { type: 'all' };
const from = (task_id: number) => ({ type: 'from_task', config: { task_id } });
const user_conditions = ['is', 'users.gender', null];
const event_filters = ['performed_event', {}];

it.each([
  [{ include: [all] }],
  [{ include: [from(1)], exclude: [from(1)] }],
  [{ include: [{ type: 'filter', config: { user_conditions } }] }],
  [{ include: [{ type: 'filter', config: { event_filters } }] }],
  [{ include: [{ type: 'list', config: { chat_ids: [] } }] }],
])('%j can be sent to', (segmentations) => {
  expect(problems(segmentations)).toEqual([]);
});

it.each([
  [{}, 'include', 'at least one include segment'],
  [{ exclude: [all] }, 'include', 'at least one include segment'],
  [{ include: [{ type: 'filter' }] }, 'include.0.config', 'needs user_conditions or event_filters'],
  [{ include: [all], exclude: [{ type: 'filter', config: { user_conditions: [] } }] }, 'exclude.0.config', 'needs'],
  [{ include: [all, from(2)] }, 'include.1.config.task_id', 'no recipients yet'],
  [{ include: [all], exclude: [from(3)] }, 'exclude.0.config.task_id', 'no such broadcast'],
  [{ include: [from(4)] }, 'include.0.config.task_id', 'no such broadcast'],
  [{ include: [from(5)] }, 'include.0.config.task_id', 'itself'],
])('%j cannot: at %s', (segmentations, path, message) => {
  expect(problems(segmentations)).toEqual([
    { path: `segmentations.${path}`, message: expect.stringContaining(message) },
  ]);
});

it('every reason at once', () => {
  const found = problems({ exclude: [from(2), { type: 'filter' }] }, null);
  expect(found.map(({ path }) => path)).toEqual([
    'segmentations.include',
    'segmentations.exclude.0.config.task_id',
    'segmentations.exclude.1.config',
  ]);
});
