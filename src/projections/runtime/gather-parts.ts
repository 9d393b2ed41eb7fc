import type { Batch } from '../../log/port.ts';
import { itemsOf } from './read-commits.ts';
import type { Part, Writer } from './writer.ts';

/** Where the engine does not know the log end, a batch of fewer commits has reached it. */
const SMALL_BATCH = 500;
/** A transaction with fewer items than this also takes items of another partition. */
const GATHERED_ITEMS = 5000;

export interface OpenedPart {
  readonly part: Part;
  /** Whether the log has more commits after the part. */
  readonly hasMore: boolean;
  /** Whether a part of another partition comes next, without a wait. */
  readonly hasOthers: boolean;
}

/** Cuts batches into parts and begins to open them. */
export async function* opened(writer: Writer, batches: AsyncIterable<Batch>): AsyncGenerator<OpenedPart> {
  for await (const batch of batches) {
    const { commits, last, hasMore = commits.length >= SMALL_BATCH, hasOthers = false } = batch;
    for (const part of writer.open(batch)) {
      const isLast = part.last === last;
      yield { part, hasMore: hasMore || !isLast, hasOthers: hasOthers && isLast };
    }
  }
}

/**
 * Parts that one transaction can write: of partitions that were read together, until there are `GATHERED_ITEMS`. A
 * transaction of 20 statements for each partition's few commits would cost more than the commits.
 */
export async function* gathered(
  parts: AsyncIterable<OpenedPart>,
): AsyncGenerator<{ readonly parts: readonly Part[]; readonly hasMore: boolean }> {
  let group: Part[] = [];
  let items = 0;
  for await (const { part, hasMore, hasOthers } of parts) {
    group.push(part);
    for (const commit of part.commits) items += itemsOf(commit);
    if (hasOthers && items < GATHERED_ITEMS) continue;
    yield { parts: group, hasMore: hasMore || hasOthers };
    group = [];
    items = 0;
  }
}
