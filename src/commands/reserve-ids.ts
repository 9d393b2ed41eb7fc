import { type IdKind, ids, reserveIds as reserve } from '../domain/catalog/ids.ts';
import { idsStream } from '../domain/streams.ts';
import { type CommandContext, handle } from './handle.ts';

/** Takes the next id of a kind. It is in the log before it is returned; one that is never used stays a gap. */
export async function reserveId(context: CommandContext, kind: IdKind): Promise<number> {
  const { events } = await handle(context, ids, idsStream(kind), (state) => reserve(state, { kind, count: 1 }));
  return events[0]!.data.from;
}
