import fc from 'fast-check';
import type { LedgerEvent } from '../../src/domain/ledger-events.ts';
import { ANY_CATEGORIES } from '../../src/domain/streams.ts';
import { EMPTY_STREAM, type EventLog, type NewCommit } from '../../src/log/port.ts';
import { categoryOf } from '../../src/log/stream-name.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import { partitionsOf, step } from './intake-logs.ts';

/** A commit without its place in the log. */
type Content = Pick<NewCommit, 'stream' | 'at'> & { readonly event: LedgerEvent };

/**
 * Random commits of pairs of bots with an owner for each pair, in one order that each bot and owner accepts. Rates are
 * common to all.
 */
export function manyBots(pairs: number, stepsOfPair: number, seed: number): Content[] {
  const log = fc.array(step, { minLength: stepsOfPair, maxLength: stepsOfPair });
  const worlds = fc.sample(log, { numRuns: pairs, seed }).map((steps, pair) => {
    const ofStreams = [...partitionsOf(steps).values()].flat();
    return ofStreams.map(({ stream, at, events }, i) => ({
      stream: renamed(stream, pair),
      at,
      event: ofPair(events[0]!, pair, i),
    }));
  });
  const longest = Math.max(...worlds.map((world) => world.length));
  return Array.from({ length: longest }, (_, i) => worlds.flatMap((world) => world[i] ?? [])).flat();
}

const KEYS_OF_PAIR = 2;

function renamed(stream: string, pair: number): string {
  if (stream.startsWith('fx-')) return stream;
  if (stream.startsWith('owner-')) return `owner-${pair * KEYS_OF_PAIR + Number(stream.slice('owner-'.length))}`;
  return stream.replace(/^[^/]+/, (key) => `${key}${pair}`);
}

/** @param unitId a unit gets it: the random logs give all units of a bot the same */
function ofPair(event: LedgerEvent, pair: number, unitId: number): LedgerEvent {
  const moved = (id: number): number => pair * KEYS_OF_PAIR + id;
  if (event.type === 'owner_created')
    return {
      ...event,
      data: { ...event.data, owner_id: moved(event.data.owner_id), public_key: `owner${moved(event.data.owner_id)}` },
    };
  if (event.type === 'unit_created') return { ...event, data: { ...event.data, unit_id: unitId } };
  if (event.type !== 'bot_created') return event;
  const { bot_id, owner_id, public_key } = event.data;
  return {
    ...event,
    data: { ...event.data, bot_id: moved(bot_id), owner_id: moved(owner_id), public_key: `${public_key}${pair}` },
  };
}

/** Appends commits in order, each on top of its stream's head. */
export async function appendAll(log: EventLog, commits: readonly Content[]): Promise<void> {
  const heads = new Map(await log.streamHeads([...new Set(commits.map(({ stream }) => stream))]));
  for (const { stream, at, event } of commits) {
    const isAny = (ANY_CATEGORIES as readonly string[]).includes(categoryOf(stream));
    const expected = isAny ? 'any' : (heads.get(stream) ?? EMPTY_STREAM);
    const events = [{ v: 1, ...event }];
    const { head } = await log.append({ id: systemSources.uuid(), stream, expected, at, events });
    if (head !== null) heads.set(stream, head);
  }
}
