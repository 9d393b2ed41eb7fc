/** Places for calls under way, shared by all bots: whoever waits longest gets the next that is free. */
export interface Slots {
  /** Resolves when a place is taken. */
  take(): Promise<void>;
  /** Takes a place if one is free and nobody waits. */
  tryTake(): boolean;
  give(): void;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const slots: Slots = {
    tryTake() {
      if (free === 0 || waiting.length > 0) return false;
      free--;
      return true;
    },
    take() {
      if (slots.tryTake()) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
    give() {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    },
  };
  return slots;
}
