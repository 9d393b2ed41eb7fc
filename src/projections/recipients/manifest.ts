import type { ShapeManifest } from '../read-model.ts';

/** Recipients of broadcasts, their outcomes, and the counts of outcomes. */
export const recipientsManifest: ShapeManifest = {
  name: 'recipients',
  shape: 3,
  categories: ['bot', 'broadcast', 'audience', 'sending'],
};
