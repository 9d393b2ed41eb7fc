/** Keeps the items of queues where a killed program leaves them. `folderSpool` of `@botledger/client/spool` makes one. */
export interface Spool {
  /** @param name of the queue: the last part of the path that it calls */
  open(name: string): QueueSpool;
}

export interface QueueSpool {
  /** The items that an earlier program left, the oldest first. */
  readonly left: readonly Kept[];
  /** Keeps an item until its release. Null: the spool is full. Throws no error: the item is also in memory. */
  keep(text: string): Kept | null;
  /** Ends the use. What was not released stays for the next program. */
  close(): void;
}

export interface Kept {
  /** The item as JSON. */
  readonly text: string;
  /** False: the spool failed, so only the memory has the item. */
  readonly isOnDisk: boolean;
  /** Forgets the item: its outcome is known. Throws no error: an item that stays comes again. */
  release(): void;
}
