import { type EventImport, eventImport } from '../../domain/intake/event-import.ts';
import { eventsImported, type ImportedEventItem } from '../../domain/intake/intake-events.ts';
import { importStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { existingBot } from '../catalog/change-bot.ts';
import { type CommandContext, load, untilCertain } from '../decide-and-append.ts';
import type { EventTypeDirectory } from './event-type-directory.ts';
import { createImportPace, type WaitForReadModels } from './import-pace.ts';
import { type CustomEventInput, customEventItemOf } from './receive.ts';

/** A checked event of the past. */
type ImportedEventInput = CustomEventInput & { readonly date: number };

/** A line that is refused, as the file has it. */
export interface RefusedLine {
  readonly line: number;
  readonly problem: string;
  readonly text: string;
}

/** A line of a file: an event, or the problem of the line. */
export type ImportedLine = { readonly line: number; readonly event: ImportedEventInput } | RefusedLine;

export interface ImportFileOptions<Line> {
  /** The public key of the bot. */
  readonly bot: string;
  /** Names the file and how it is read: the same lines in the same order each time. */
  readonly file: string;
  /** Throws if the file cannot be imported. Not called for a file that an earlier call has imported to its end. */
  readonly check: () => Promise<void>;
  /** Nothing is read of a file that an earlier call has imported to its end, but for {@link namesRefused}. */
  readonly lines: AsyncIterable<Line>;
  /** Whether `onRefused` must get the lines that an earlier call refused. */
  readonly namesRefused: boolean;
  /** Called with each line that is refused. */
  readonly onRefused: (refused: RefusedLine) => Promise<void>;
  readonly applied: WaitForReadModels;
}

export interface ImportEventsOptions extends ImportFileOptions<ImportedLine> {
  /** Finds the keys with which an event of the bot has come, in the read model of a running service. */
  readonly usedKeys: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Called after each append. */
  readonly onProgress: (imported: number) => void;
}

export interface ImportedEvents {
  /** Events that this call has appended, each key once. */
  readonly imported: number;
  /** Events that an earlier call had appended, each key once. */
  readonly before: number;
  /** Lines of the whole file whose event had come before by its `event_key`, from the file or elsewhere. */
  readonly repeated: number;
  /** Lines of the whole file that are refused. */
  readonly refused: number;
  /** Of the last append; undefined: nothing was appended. */
  readonly position: Position | undefined;
}

/** The most events of a commit, and about the most characters: below the limits of every engine. */
const MAX_EVENTS = 1000;
const MAX_CHARACTERS = 500_000;

/**
 * Appends the events of a file to a stream of the file's own, in order. Each commit says how far the file was read, and is
 * appended on top of the one before. So an import that was killed resumes where it was, and a file that is imported twice
 * counts once (decisions.md#import-events).
 * @throws Rejection not_found; limit: too many names of events
 * @throws ConflictError another command imports the same file
 * @throws LogUnavailableError, OutcomeUnknownError the import can be repeated
 */
export async function importEvents(
  context: CommandContext & { readonly directory: EventTypeDirectory },
  options: ImportEventsOptions,
): Promise<ImportedEvents> {
  const { bot, file, lines, check, namesRefused, onRefused } = options;
  const { log, sources, directory } = context;
  await existingBot(log, bot);
  const stream = importStream(bot, file);
  const loaded = await load(log, eventImport, stream);
  let { state, head } = loaded;
  const before = countOf(state);
  const resumesAfter = state.line;
  const { isFinished } = state;
  let position: Position | undefined;
  const answer = (): ImportedEvents => {
    return { imported: countOf(state) - before, before, repeated: state.repeated, refused: state.refused, position };
  };
  if (isFinished && !(namesRefused && state.refused > 0)) return answer();
  if (!isFinished) await check();
  const pace = createImportPace(options.applied);
  /** Keys that an earlier call appended and read models may not have applied yet; null: all are applied. */
  const earlier = loaded.position === undefined || (await options.applied(loaded.position)) ? null : new Set<string>();

  let part: ImportedEventInput[] = [];
  let characters = 0;
  let { line, refused } = state;

  async function flush(finished: boolean): Promise<void> {
    await pace.room();
    const ids = await directory.resolve(bot, [...new Set(part.map(({ event }) => event))]);
    const items = part.map((event): ImportedEventItem => {
      return { ...customEventItemOf(event, ids.get(event.event)!), date: event.date };
    });
    const keys = items.flatMap(({ event_key }) => event_key ?? []);
    const used = keys.length === 0 ? new Set<string>() : await options.usedKeys(keys);
    const known = new Set(keys.filter((key) => used.has(key) || pace.has(key) || earlier?.has(key)));
    const fresh = new Set(keys.filter((key) => !known.has(key))).size;
    const repeated = state.repeated + keys.length - fresh;
    const data = { items, line, refused, finished, ...(repeated === 0 ? {} : { repeated }) };
    const commit = {
      id: sources.uuid(),
      stream,
      expected: head,
      at: sources.now(),
      events: [eventsImported.create(data)],
    };
    const appended = await untilCertain(() => log.append(commit));
    head = appended.head!;
    position = appended.position;
    pace.appended(position, keys);
    state = { line, imported: state.imported + items.length, repeated, refused, isFinished: finished };
    part = [];
    characters = 0;
    options.onProgress(state.imported);
  }

  for await (const next of lines) {
    if ('problem' in next) await onRefused(next);
    if (next.line <= resumesAfter || isFinished) {
      if ('event' in next && next.event.event_key !== undefined) earlier?.add(next.event.event_key);
      continue; // the log has it
    }
    if ('problem' in next) refused++;
    else {
      const size = JSON.stringify(next.event).length;
      if (part.length === MAX_EVENTS || (part.length > 0 && characters + size > MAX_CHARACTERS)) await flush(false);
      part.push(next.event);
      characters += size;
    }
    line = next.line;
  }
  if (!isFinished) await flush(true);
  return answer();
}

const countOf = ({ imported, repeated }: EventImport): number => imported - repeated;
