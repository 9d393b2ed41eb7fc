import type { Logger } from 'pino';
import type { BroadcastName } from '../../commands/broadcast/change.ts';
import type { Message } from '../../domain/broadcast/sending-message.ts';
import type { BotApi } from '../../platform/bot-api.ts';
import type { RecipientUser } from '../../queries/broadcast/recipient-users.ts';
import type { Failure } from './failure.ts';
import type { Lane } from './lane.ts';
import type { PauseLedger } from './ledger.ts';
import type { Trouble } from './trouble.ts';

/** Why sending has ended; nothing is on its way any more. */
export type LaunchEnd =
  | { readonly type: 'finished' | 'cancelled' | 'interrupted' }
  | { readonly type: 'stopped' | 'failed'; readonly error: string }
  /** An unexpected error ended the run; try again after a pause. */
  | { readonly type: 'broken'; readonly againMs: number };

/** What one launch of a broadcast is sent with. */
export interface LaunchOptions {
  readonly name: BroadcastName;
  readonly launch: number;
  /** Names this run of the sender. */
  readonly sender: string;
  /** The frozen audience. */
  readonly chats: readonly number[];
  readonly message: Message;
  /** Units a second. */
  readonly cap: number;
  readonly onLimit: { readonly stop: boolean; readonly extraDelay: number };
  readonly api: BotApi;
  readonly token: string;
  readonly lane: Lane;
  readonly trouble: Trouble;
  /** Of the bot. */
  readonly pauses: PauseLedger;
  readonly failure: Failure;
  /** Those of these chats that are users of the bot. */
  readonly usersOf: (chats: readonly number[]) => Promise<ReadonlyMap<number, RecipientUser>>;
  /** Whether the broadcast is still to be sent. */
  readonly isSending: () => Promise<boolean>;
  /** Monotonic milliseconds. */
  readonly elapsed: () => number;
  readonly logger: Logger;
}
