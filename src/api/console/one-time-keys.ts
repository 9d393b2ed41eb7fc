import type { Sources } from '../../domain/sources.ts';

/** A token of a log-in link is valid once, and for this time. */
const TOKEN_MS = 10 * 60_000;

/** API keys that a link of this process logs in with. They are in memory only: after a restart the key itself is needed. */
export interface OneTimeKeys {
  /** @returns a token in place of the key */
  offer(apiKey: string): string;
  /** The key; null: there is no such token, it is too old, or was taken before. */
  take(token: string): string | null;
}

/** @param elapsed milliseconds of a clock that never goes back */
export function oneTimeKeys(
  { randomBytes }: Pick<Sources, 'randomBytes'>,
  elapsed: () => number = () => performance.now(),
): OneTimeKeys {
  const offered = new Map<string, { readonly apiKey: string; readonly until: number }>();
  return {
    offer(apiKey) {
      const token = Buffer.from(randomBytes(32)).toString('base64url');
      offered.set(token, { apiKey, until: elapsed() + TOKEN_MS });
      return token;
    },
    take(token) {
      const found = offered.get(token);
      offered.delete(token);
      return found !== undefined && found.until > elapsed() ? found.apiKey : null;
    },
  };
}
