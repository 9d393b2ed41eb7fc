import { type Click, linksClicked } from '../../domain/broadcast/clicks.ts';
import { clicksStream } from '../../domain/streams.ts';
import type { CommandContext } from '../decide-and-append.ts';

/**
 * Appends clicks on links of a bot's broadcasts, in one commit.
 * @param id of the commit: after an unknown outcome the same may be appended again. Throws as `EventLog.append`
 */
export async function appendClicks(
  { log, sources }: Pick<CommandContext, 'log' | 'sources'>,
  bot: string,
  id: string,
  items: Click[],
): Promise<void> {
  await log.append({
    id,
    stream: clicksStream(bot),
    expected: 'any',
    at: sources.now(),
    events: [linksClicked.create({ items })],
  });
}
