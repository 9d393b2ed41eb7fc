import { readEvent } from '../../domain/ledger-events.ts';
import { CATEGORIES } from '../../domain/streams.ts';
import { upToEnd } from '../../log/copy.ts';
import type { EventLog, RecordedCommit } from '../../log/port.ts';
import { categoryOf } from '../../log/stream-name.ts';
import type { EventsOfLog, TypeOfLog } from './upgrade-plan.ts';

/** Of each type and version, the first events are decoded, and then one of many. */
const FIRST = 100;
const ONE_OF = 100;

type Found = { -readonly [Key in keyof TypeOfLog]: TypeOfLog[Key] };

/**
 * Reads the whole log once: which types and versions of events it has, and whether this release can read them.
 * @param onCommit called with each commit and its number
 */
export async function scanLog(
  log: EventLog,
  signal: AbortSignal,
  onCommit: (commit: RecordedCommit, number: number) => void,
): Promise<EventsOfLog> {
  const types = new Map<string, Found>();
  let commits = 0;
  for await (const batch of upToEnd(log, CATEGORIES, signal))
    for (const commit of batch.commits) {
      commits++;
      onCommit(commit, commits);
      for (const event of commit.events) count(types, commit, event);
    }
  const byName = (one: TypeOfLog, other: TypeOfLog): number => nameOf(one).localeCompare(nameOf(other));
  return { commits, types: [...types.values()].sort(byName) };
}

const nameOf = ({ category, type, v }: Pick<TypeOfLog, 'category' | 'type' | 'v'>): string =>
  `${category} ${type} ${v}`;

function count(
  types: Map<string, Found>,
  { stream, position }: RecordedCommit,
  event: RecordedCommit['events'][number],
): void {
  const named = { category: categoryOf(stream), type: event.type, v: event.v };
  const found = types.get(nameOf(named)) ?? { ...named, events: 0, tried: 0, unreadable: null };
  types.set(nameOf(named), found);
  if (found.events < FIRST || found.events % ONE_OF === 0) {
    found.tried++;
    try {
      readEvent(event);
    } catch (error) {
      found.unreadable ??= { position, error: (error as Error).message };
    }
  }
  found.events++;
}
