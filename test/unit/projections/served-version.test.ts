import { expect, test } from 'vitest';
import { servedOf } from '../../../src/projections/runtime/served-version.ts';

const former = { name: 'users', shape: 4, categories: [] };
const model = { ...former, shape: 5, former };

test.each([
  { has: [], serves: null },
  { has: ['5 building'], serves: null },
  { has: ['4 live', '5 building'], serves: '4 live' },
  { has: ['4 live', '5 ready'], serves: '4 live' },
  { has: ['4 ready', '5 live'], serves: '5 live' },
  { has: ['5 live', '5 ready'], serves: '5 live' },
  // Without a live one, a version of another shape is live.
  { has: ['4 ready', '5 ready', '5 building'], serves: '5 ready' },
  { has: ['5 ready', '4 ready'], serves: '5 ready' },
  { has: ['4 ready', '5 building'], serves: '4 ready' },
])('of $has answers $serves', ({ has, serves }) => {
  const versions = has.map((each) => {
    const [shape, state] = each.split(' ') as [string, 'building' | 'ready' | 'live'];
    return { shape: Number(shape), state };
  });
  const served = servedOf(model, versions);
  expect(served === null ? null : `${served.shape} ${served.state}`).toBe(serves);
});
