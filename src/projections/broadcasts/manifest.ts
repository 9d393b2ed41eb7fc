import type { ShapeManifest } from '../read-model.ts';

/** Broadcasts as they are now, and the lists of chats that were uploaded for them. */
export const broadcastsManifest: ShapeManifest = {
  name: 'broadcasts',
  shape: 4,
  categories: ['bot', 'broadcast', 'segment'],
};
