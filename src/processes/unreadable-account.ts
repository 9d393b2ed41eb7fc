import { UnreadableEventError } from '../domain/event-type.ts';
import { BrokenChainError, UnreadableCommitError } from '../log/port.ts';
import type { ProcessContext } from './process.ts';

/** How soon an account that cannot be read is tried again. */
export const ACCOUNT_AGAIN_MS = 60_000;

/** Whether one account's stream cannot be read, while the log answers: the work of all other accounts continues. */
export function isUnreadable(error: unknown): error is Error {
  return [BrokenChainError, UnreadableEventError, UnreadableCommitError].some((kind) => error instanceof kind);
}

/** Names the account to operators. @param againMs when its work is tried again */
export function reportAccount(
  { logger, reportFailure }: Pick<ProcessContext, 'logger' | 'reportFailure'>,
  { bot, user }: { readonly bot: string; readonly user: number },
  error: Error,
  againMs = ACCOUNT_AGAIN_MS,
): void {
  logger.error({ err: error, bot, user }, `failed to read an account; retrying in ${againMs / 1000} s`);
  reportFailure(`account ${bot}/${user}`, { error: error.message, againMs });
}
