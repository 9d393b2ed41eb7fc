/**
 * The clocks of two instances that may append differ by less (decisions.md#wrong-clock). A wait that began later than this
 * in the future was written before the clock was set back: its end says nothing, so it counts as over. Milliseconds.
 */
export const SET_BACK_MS = 10_000;
