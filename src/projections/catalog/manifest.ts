import type { ShapeManifest } from '../read-model.ts';

/**
 * Owners, bots, keys, goals, units, exchange rates, operators, their jobs and audits as of now. Names of events are in the
 * read model `events`.
 */
export const catalogManifest: ShapeManifest = {
  name: 'catalog',
  shape: 6,
  categories: ['owner', 'bot', 'eventtypes', 'dictionary', 'fx', 'operator', 'operations'],
};
