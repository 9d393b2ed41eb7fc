import type { Problem } from '../domain/problem.ts';

/** The error body of every answer but one (decisions.md#response-bodies). */
export interface ErrorBody {
  readonly ok: false;
  readonly error: string | Readonly<Record<string, readonly string[]>>;
  /** Equal to the HTTP status. */
  readonly error_code: number;
  readonly details?: readonly Problem[];
}

/** At most this many details are told. */
const MAX_DETAILS = 100;

/** An answer that is not 2xx. Domain and store errors know no HTTP: `error-handler.ts` turns them into these. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
    readonly details: readonly Problem[] = [],
    /** Seconds after which to try again. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }

  body(): ErrorBody {
    const details = this.details.length === 0 ? {} : { details: this.details.slice(0, MAX_DETAILS) };
    return { ok: false, error: this.message, error_code: this.status, ...details };
  }
}

/** send-target's own form: field names with their messages (interface.md, Errors). */
export class TargetValidationError extends ApiError {
  constructor(problems: readonly Problem[]) {
    super(400, 'send-target validation', problems);
  }

  override body(): ErrorBody {
    const error: Record<string, string[]> = Object.create(null);
    for (const { path, message } of this.details) {
      error[path] ??= [];
      error[path].push(message);
    }
    return { ok: false, error, error_code: 400 };
  }
}

/** A 400 that names every problem. The text starts with the first one's message, for clients that match on it. */
export function invalid(problems: readonly Problem[]): ApiError {
  const { path, message } = problems[0]!;
  return new ApiError(400, path === '' ? message : `${message} (at ${path})`, problems);
}

export const unavailable = (message: string): ApiError => new ApiError(503, message, [], 1);
