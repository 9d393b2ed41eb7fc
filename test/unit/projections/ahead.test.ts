import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ahead } from '../../../src/projections/runtime/read-commits.ts';

describe('reading ahead', () => {
  const nothing = (): void => {};
  /** Reads and uses of items, in order. */
  let story: string[];

  async function* source(count: number, fails = false): AsyncGenerator<number> {
    story = [];
    try {
      for (let i = 1; i <= count; i++) {
        story.push(`read ${i}`);
        yield i;
      }
      if (fails) throw new Error('the log is gone');
    } finally {
      story.push('closed');
    }
  }

  async function use(items: AsyncIterable<number>): Promise<void> {
    for await (const item of items) {
      await new Promise((resolve) => setImmediate(resolve));
      story.push(`used ${item}`);
    }
  }

  it('reads one item while the one before it is used, and each item once', async () => {
    await use(ahead(source(3), () => true, nothing));
    expect(story).toEqual(['read 1', 'read 2', 'used 1', 'read 3', 'used 2', 'closed', 'used 3']);
  });

  it('reads an item only on request if reading ahead is not wanted', async () => {
    await use(ahead(source(3), () => false, nothing));
    expect(story).toEqual(['read 1', 'used 1', 'read 2', 'used 2', 'read 3', 'used 3', 'closed']);
  });

  it('yields the items before an error, then throws it', async () => {
    await expect(use(ahead(source(2, true), () => true, nothing))).rejects.toThrow('the log is gone');
    expect(story).toEqual(['read 1', 'read 2', 'used 1', 'closed', 'used 2']);
  });

  it('closes its source when the consumer stops', async () => {
    for await (const item of ahead(source(3), () => true, nothing)) if (item === 1) break;
    expect(story).toEqual(['read 1', 'read 2', 'closed']);
  });

  it('ends a read that it began ahead when the consumer stops', async () => {
    const stopping = new AbortController();
    async function* waiting(): AsyncGenerator<number> {
      yield 1;
      await once(stopping.signal, 'abort');
    }
    const items = ahead(
      waiting(),
      () => true,
      () => stopping.abort(),
    );
    const failing = (async () => {
      for await (const item of items) throw new Error(`cannot use ${item}`);
    })();
    await expect(failing).rejects.toThrow('cannot use 1');
  });
});
