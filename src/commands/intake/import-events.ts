import { eventImport } from '../../domain/intake/event-import.ts';
import { eventsImported, type ImportedEventItem } from '../../domain/intake/events.ts';
import { importStream } from '../../domain/streams.ts';
import type { Position } from '../../log/port.ts';
import { existingBot } from '../catalog/bots.ts';
import { type CommandContext, load } from '../decide-and-append.ts';
import { untilCertain } from '../until-certain.ts';
import type { EventTypeDirectory } from './event-type-directory.ts';
import { type CustomEventInput, customEventItemOf } from './receive.ts';

/** A checked event of the past. */
export type ImportedEventInput = CustomEventInput & { readonly date: number };

/** A line of a file: an event, or the problem of the line. */
export type ImportedLine = { readonly line: number } & (
  | { readonly event: ImportedEventInput }
  | { readonly problem: string }
);

export interface ImportEventsOptions {
  /** The public key of the bot. */
  readonly bot: string;
  /** Names the file and how it is read: the same lines in the same order each time. */
  readonly file: string;
  readonly lines: AsyncIterable<ImportedLine>;
  /** Called with each line that is refused, also by an earlier call. */
  readonly onRefused: (line: number, problem: string) => void;
  /** Called after each append. */
  readonly onProgress: (imported: number, position: Position) => Promise<void> | void;
}

export interface ImportedEvents {
  /** Events that this call has appended. */
  readonly imported: number;
  /** Events that an earlier call had appended. */
  readonly before: number;
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
  { bot, file, lines, onRefused, onProgress }: ImportEventsOptions,
): Promise<ImportedEvents> {
  const { log, sources, directory } = context;
  await existingBot(log, bot);
  const stream = importStream(bot, file);
  let { state, head } = await load(log, eventImport, stream);
  const before = state.imported;
  const { isFinished } = state;
  let position: Position | undefined;

  let part: ImportedEventInput[] = [];
  let characters = 0;
  let { line, refused } = state;

  async function flush(finished: boolean): Promise<void> {
    const ids = await directory.resolve(bot, [...new Set(part.map(({ event }) => event))]);
    const items = part.map((event): ImportedEventItem => {
      return { ...customEventItemOf(event, ids.get(event.event)!), date: event.date };
    });
    const events = [eventsImported.create({ items, line, refused, finished })];
    const commit = { id: sources.uuid(), stream, expected: head, at: sources.now(), events };
    const appended = await untilCertain(() => log.append(commit));
    head = appended.head!;
    position = appended.position;
    state = { line, imported: state.imported + items.length, refused, isFinished: finished };
    part = [];
    characters = 0;
    await onProgress(state.imported, position);
  }

  for await (const next of lines) {
    if ('problem' in next) onRefused(next.line, next.problem);
    if (next.line <= state.line || isFinished) continue; // the log has it
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
  return { imported: state.imported - before, before, refused, position };
}
