import type { Sources } from '../domain/sources.ts';
import type { EventLog } from '../log/port.ts';

const NONCE_BYTES = 16;

/**
 * Returns the log with a random nonce in each new commit, so that no reader of the public hashes can guess a commit. A commit
 * that is copied from another log stays as it is, with its nonce or without.
 */
export function logWithNonces(log: EventLog, { randomBytes }: Pick<Sources, 'randomBytes'>): EventLog {
  return {
    ...log,
    append(commit, options) {
      if ('nonce' in commit) return log.append(commit, options);
      const nonce = Buffer.from(randomBytes(NONCE_BYTES)).toString('base64url');
      return log.append({ ...commit, nonce }, options);
    },
  };
}
