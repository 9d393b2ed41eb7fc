/** The users of the saved segments that a report names. */
export interface SavedSegmentMembers {
  readonly botId: number;
  /** By the user's index: 1 if the user is in the saved segment, else 0. @param key the key of its field: the id */
  of(key: string): Uint8Array;
}

/** Of a report that names no saved segment. */
export const NO_MEMBERS: SavedSegmentMembers = {
  botId: 0,
  of(key) {
    throw new Error(`the users of saved segment ${key} were not looked up`);
  },
};

/** Marks as bits: bit i is of the user with index i, as `get_bit` of PostgreSQL counts them. */
export function bitsOf(members: Uint8Array): Buffer {
  const bits = Buffer.alloc(Math.ceil(members.length / 8));
  for (let user = 0; user < members.length; user++) bits[user >>> 3]! |= members[user]! << (user & 7);
  return bits;
}
