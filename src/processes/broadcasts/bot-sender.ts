import type { BroadcastName } from '../../commands/broadcast/change-broadcast.ts';
import type { BotApi } from '../../platform/bot-api.ts';
import { catalogManifest } from '../../projections/catalog/manifest.ts';
import { findSendingBot, type SendingBot } from '../../queries/catalog/bots.ts';
import { pause } from '../../util/pause.ts';
import type { ProcessContext } from '../process.ts';
import type { Failures } from './failures.ts';
import type { PlatformHealth } from './platform-health.ts';
import type { SendQueue } from './send-queue.ts';
import type { SchemaOf, StreamWatch, UserLookUp } from './shared-look-ups.ts';

/** The dependencies of a broadcast's sender. The broadcasts of a bot share all but `failures`. */
export interface BotSender {
  readonly api: BotApi;
  readonly queue: SendQueue;
  readonly health: PlatformHealth;
  readonly failures: Failures;
  readonly schemaOf: SchemaOf;
  readonly watch: StreamWatch;
  readonly usersOf: UserLookUp;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
}

const POLL_MS = 100;

/** Waits until the catalog knows the bot. @throws the signal's reason */
export async function sendingBot(
  { pool }: ProcessContext,
  { schemaOf }: BotSender,
  { bot }: BroadcastName,
  signal: AbortSignal,
): Promise<SendingBot> {
  for (;;) {
    const catalog = await schemaOf(catalogManifest, signal);
    const found = await findSendingBot({ pool, catalog }, bot);
    if (found !== null) return found;
    await pause(POLL_MS, signal);
    signal.throwIfAborted();
  }
}
