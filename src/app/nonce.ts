import { digestOf, digestOfNew } from '../administration/proof/stored-digest.ts';
import type { Sources } from '../domain/sources.ts';
import type { Appended, AppendOptions, EventLog, NewCommit } from '../log/port.ts';

const NONCE_BYTES = 16;

/**
 * Returns the log with a random nonce in each new commit, so that no reader of the public hashes can guess a commit. A commit
 * that is copied from another log stays as it is, with its nonce or without.
 */
export function logWithNonces(log: EventLog, { randomBytes }: Pick<Sources, 'randomBytes'>): EventLog {
  return {
    ...log,
    append(commit, options) {
      if ('nonce' in commit) return append(commit, options);
      const nonce = Buffer.from(randomBytes(NONCE_BYTES)).toString('base64url');
      return append({ ...commit, nonce }, options);
    },
  };

  /** With the nonce the commit is as the engine stores it, so here its digest is known. */
  function append(commit: NewCommit, options: AppendOptions | undefined): Promise<Appended> {
    const appending = log.append(commit, options);
    return options?.digest === true ? appending.then((appended) => withDigest(appended, commit)) : appending;
  }
}

function withDigest(appended: Appended, commit: NewCommit): Appended {
  const { repeated } = appended;
  return { ...appended, digest: repeated === null ? digestOfNew(commit) : digestOf(repeated) };
}
