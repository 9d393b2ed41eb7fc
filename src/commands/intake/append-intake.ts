import type { StoredEvent } from '../../domain/event-type.ts';
import type { Sources } from '../../domain/sources.ts';
import { intakeStream } from '../../domain/streams.ts';
import type { Appended, CommandStamp, EventLog } from '../../log/port.ts';

/** Who asked, and how a repeat is recognised. */
export interface Stamp {
  readonly keyId?: number | undefined;
  readonly command?: CommandStamp | undefined;
}

/** Appends what one request brought to the bot's intake, in one commit. Throws as `EventLog.append`. */
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
