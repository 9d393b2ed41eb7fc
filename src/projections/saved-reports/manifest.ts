import type { ShapeManifest } from '../read-model.ts';

/** Saved reports and saved segments as they are now, by bot. */
export const reportsManifest: ShapeManifest = {
  name: 'reports',
  shape: 4,
  categories: ['report', 'savedsegment'],
};
