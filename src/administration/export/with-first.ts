/** Gives the first result again. A generator around `parts` would not end them if nothing is read of it. */
export function withFirst<T>(first: IteratorResult<T, void>, parts: AsyncGenerator<T, void>): AsyncIterableIterator<T> {
  let next: IteratorResult<T, void> | null = first;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const given = next ?? (await parts.next());
      next = null;
      return given;
    },
    return: async () => parts.return(),
  };
}
