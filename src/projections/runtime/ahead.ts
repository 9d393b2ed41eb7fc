/**
 * Asks for the next item while the present one is being worked on, as long as `wanted` says so at the time: then reading
 * and writing take turns no more, at the price of two items held at once.
 * @param stop ends the items: what was asked for when nobody wants more would otherwise be waited for
 */
export async function* ahead<T>(items: AsyncIterable<T>, wanted: () => boolean, stop: () => void): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let asked: Promise<IteratorResult<T>> | null = null;
  try {
    for (;;) {
      const { done, value } = await (asked ?? iterator.next());
      if (done) return;
      asked = wanted() ? iterator.next() : null;
      asked?.catch(() => {}); // whoever asks for the next is told
      yield value;
    }
  } finally {
    stop();
    await iterator.return?.();
  }
}
