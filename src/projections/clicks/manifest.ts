import type { ShapeManifest } from '../read-model.ts';

/** Clicks on links of broadcasts, by recipient and link. */
export const clicksManifest: ShapeManifest = {
  name: 'clicks',
  shape: 1,
  categories: ['bot', 'clicks'],
};
