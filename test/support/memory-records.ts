import type { Chunk, NewRecord, RecordStore } from '../../src/log/validated/record-store.ts';

/** Records in memory that a test may change. One partition. */
export interface MemoryRecords extends RecordStore {
  readonly records: Buffer[];
}

export function memoryRecords(): MemoryRecords {
  const records: Buffer[] = [];
  const sleepers = new Set<() => void>();
  return {
    records,
    async send(added: readonly NewRecord[]) {
      const first = records.length;
      records.push(...added.map(({ value }) => value));
      for (const wake of sleepers) wake();
      return added.map((_, index) => first + index);
    },
    endOffsets: async () => [records.length],
    ageOfOldest: async () => 1,
    async *tail(from, signal): AsyncGenerator<Chunk[]> {
      for (let next = from.get(0)!; !signal.aborted; ) {
        const some = records.slice(next, next + 100).map((value, index) => ({ offset: next + index, value }));
        if (some.length > 0) yield [{ partition: 0, records: some }];
        else
          await new Promise<void>((resolve) => {
            sleepers.add(resolve);
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
        next += some.length;
      }
    },
  };
}
