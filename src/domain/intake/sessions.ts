/** A session ends when more than this passes without an action (decisions.md#sessions). */
export const SESSION_GAP_MS = 30 * 60 * 1000;
