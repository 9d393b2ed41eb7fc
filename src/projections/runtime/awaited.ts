import { BroadcastChannel } from 'node:worker_threads';

/**
 * A request that waits for a read model tells its projectors, which then cut their pause short (follower.ts). The threads of
 * one OS process have a channel for each read model. The projectors of another instance do not hear it: they only pause as
 * usual.
 */
const channelOf = (model: string): BroadcastChannel => {
  const channel = new BroadcastChannel(`botledger: awaited ${model}`);
  channel.unref();
  return channel;
};

const outgoing = new Map<string, BroadcastChannel>();

/** Says that a request waits for commits that the log already has. */
export function announceWait(model: string): void {
  const channel = outgoing.get(model) ?? channelOf(model);
  outgoing.set(model, channel);
  channel.postMessage(null);
}

/** Calls `onWait` for each request that waits for the read model. @returns ends it */
export function hearWaits(model: string, onWait: () => void): () => void {
  const channel = channelOf(model);
  channel.onmessage = onWait;
  return () => channel.close();
}
