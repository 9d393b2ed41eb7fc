import type { StoredEvent } from '../../domain/event-type.ts';
import type { Sources } from '../../domain/sources.ts';
import { intakeStream } from '../../domain/streams.ts';
import type { Appended, CommandStamp, EventLog } from '../../log/port.ts';

/** The API key of the request, and the command id that makes a repeat recognisable. */
export interface Stamp {
  readonly keyId?: number | undefined;
  readonly command?: CommandStamp | undefined;
}

/** Appends the event of one request to the bot's intake, in one commit. Throws as `EventLog.append`. */
export function appendIntake(
  { log, sources }: { readonly log: EventLog; readonly sources: Sources },
  bot: string,
  event: StoredEvent,
  stamp: Stamp = {},
): Promise<Appended> {
  return log.append({
    id: sources.uuid(),
    stream: intakeStream(bot),
    expected: 'any',
    at: sources.now(),
    events: [event],
    ...stamp,
  });
}
