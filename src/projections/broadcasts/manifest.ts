import type { Manifest } from '../read-model.ts';

/** Broadcasts as they are now, and the lists of chats that were uploaded for them. */
export const broadcastsManifest: Manifest = {
  name: 'broadcasts',
  shape: 4,
  categories: ['bot', 'broadcast', 'segment'],
};
