export type EmbeddedPostgresErrorCode =
  /** Another service holds the folder. */
  | 'folder-in-use'
  /** The folder holds no cluster, and the caller may not create one. */
  | 'no-database'
  /** This platform, this account or this folder cannot run the server; the message says what to change. */
  | 'cannot-run'
  /** The server did not start within 30 s of attempts. The message ends with the last lines of its log. */
  | 'did-not-start';

/** The embedded server cannot be used. The message is one line, for the person who started the program. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
  readonly code: EmbeddedPostgresErrorCode;

  constructor(code: EmbeddedPostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The `code` of a system error or the SQLSTATE of a database error; undefined if it has none. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
