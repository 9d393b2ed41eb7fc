import { intakeStream } from '../../src/domain/streams.ts';
import type { EventLog } from '../../src/log/port.ts';
import { systemSources } from '../../src/util/system-sources.ts';

/**
 * Appends a commit with one update of a user, as intake would.
 * @param causation a mark by which a watched read model finds the commit
 * @returns the commit's id
 */
export async function appendUpdate(
  log: EventLog,
  publicKey: string,
  updateId: number,
  causation: string | undefined,
): Promise<string> {
  const id = systemSources.uuid();
  const item = { update_id: updateId, user_id: 7, makes_user: true, is_bot: false, is_premium: false, event_id: 1 };
  await log.append({
    id,
    stream: intakeStream(publicKey),
    expected: 'any',
    at: systemSources.now(),
    events: [{ type: 'updates_received', v: 1, data: { items: [item] } }],
    causation,
  });
  return id;
}
