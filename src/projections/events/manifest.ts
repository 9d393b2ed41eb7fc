import type { ShapeManifest } from '../read-model.ts';

/**
 * Events with their sessions, UTM and amounts, the types of events, and bot errors. They are one read model: one
 * transaction writes whether an item counts, waits for its user or is an error
 * ([ADR 17](../../../docs/adr/0017-events-types-and-bot-errors-are-one-read-model.md)).
 */
export const eventsManifest: ShapeManifest = {
  name: 'events',
  shape: 19,
  categories: ['bot', 'eventtypes', 'program', 'referral', 'intake', 'import', 'account', 'owner', 'fx'],
  deferredRelation: 'put_off',
  deferredCount: 'deferred_events',
};
