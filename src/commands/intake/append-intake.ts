import type { StoredEvent } from '../../domain/event-type.ts';
import type { Sources } from '../../domain/sources.ts';
import { intakeStream } from '../../domain/streams.ts';
import type { Appended, CommandStamp, EventLog } from '../../log/port.ts';

/** The API key of the request, and the command id that makes a repeat recognisable. */
export interface Stamp {
  readonly keyId?: number | undefined;
  readonly command?: CommandStamp | undefined;
  /** Whether the answer needs the digest of the stored commit. */
  readonly digest?: boolean;
}

/** Appends the event of one request to the bot's intake, in one commit. Throws as `EventLog.append`. */
export function appendIntake(
  { log, sources }: { readonly log: EventLog; readonly sources: Sources },
  bot: string,
  event: StoredEvent,
  { digest, ...stamp }: Stamp = {},
): Promise<Appended> {
  const commit = {
    id: sources.uuid(),
    stream: intakeStream(bot),
    expected: 'any' as const,
    at: sources.now(),
    events: [event],
    ...stamp,
  };
  return digest === true ? log.append(commit, { digest }) : log.append(commit);
}
