/** A problem with one value of a request. */
export interface Problem {
  /** Where the value is, such as `3.user_id`. */
  readonly path: string;
  readonly message: string;
  /** The values that are accepted, where there is a list. */
  readonly allowed?: readonly string[];
}

export interface Failure {
  /** The HTTP status of the answer; null without an answer. */
  readonly status?: number;
  readonly details?: readonly Problem[];
  /** How long the service asks to wait, milliseconds. */
  readonly retryAfterMs?: number;
  readonly isFromService?: boolean;
  readonly cause?: unknown;
}

/** A call that did not succeed. Its class says why. */
export class BotledgerError extends Error {
  override readonly name: string = 'BotledgerError';
  readonly status: number | null;
  /** Every value that the service refused, with its place. Empty if the error is of another kind. */
  readonly details: readonly Problem[];
  readonly retryAfterMs: number | null;
  /**
   * Whether the answer has the form of the service's errors. False: no answer, or the answer of a proxy or a gateway.
   */
  readonly isFromService: boolean;
  /** The call's Idempotency-Key: the same call with it, within 24 hours, is carried out once. */
  idempotencyKey: string | null = null;
  /** The `X-Request-Id` of the call. The log of the service has it. */
  requestId: string | null = null;

  constructor(message: string, { status, details = [], retryAfterMs, isFromService = false, cause }: Failure = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status ?? null;
    this.details = details;
    this.retryAfterMs = retryAfterMs ?? null;
    this.isFromService = isFromService;
  }
}

/** No answer came, so the call may have been carried out. */
export class ConnectionError extends BotledgerError {
  override readonly name = 'ConnectionError';
}
/** 400, 413, 415, 422: the request is wrong; `details` say where. */
export class InvalidRequestError extends BotledgerError {
  override readonly name = 'InvalidRequestError';
}
/** 401 */
export class AuthenticationError extends BotledgerError {
  override readonly name = 'AuthenticationError';
}
/** 403 */
export class PermissionError extends BotledgerError {
  override readonly name = 'PermissionError';
}
/** 404 */
export class NotFoundError extends BotledgerError {
  override readonly name = 'NotFoundError';
}
/** 409: the state of the named thing forbids the call, or a call with the same key is in progress. */
export class ConflictError extends BotledgerError {
  override readonly name = 'ConflictError';
}
/** 429 */
export class RateLimitError extends BotledgerError {
  override readonly name = 'RateLimitError';
}
/** 503: certainly not carried out. */
export class UnavailableError extends BotledgerError {
  override readonly name = 'UnavailableError';
}
/** 500: the service does not know whether the call was carried out. Repeat it with the same key. */
export class OutcomeUnknownError extends BotledgerError {
  override readonly name = 'OutcomeUnknownError';
}
/** Any other answer that is no success, or a success that is cut or not in the form of the service. */
export class ServerError extends BotledgerError {
  override readonly name = 'ServerError';
}

const CLASSES: Readonly<Record<number, new (message: string, failure: Failure) => BotledgerError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
  503: UnavailableError,
};

/** How the text of the answer begins (decisions.md#outcome-unknown). */
const UNKNOWN = 'outcome unknown';

/**
 * The error of an answer that is no success. A proxy or a gateway may have made it, so its body may have any shape.
 * @param body the parsed body, or its text
 */
export function errorOf(status: number, body: unknown, headers: Headers, retryAfterMs?: number): BotledgerError {
  const { ok, error, error_code, details, message: other } = Object(body) as Readonly<Record<string, unknown>>;
  const fields = fieldProblems(error);
  const [first] = fields;
  const message =
    typeof error === 'string'
      ? error
      : first
        ? `${first.message} (at ${first.path})`
        : `the service answered ${status}${reasonOf(status, headers, textOf(Object(error).message) ?? textOf(other))}`;
  const isUnknown = status === 500 && message.startsWith(UNKNOWN);
  const Class = isUnknown ? OutcomeUnknownError : (CLASSES[status] ?? ServerError);
  return new Class(message, {
    status,
    details: fields.length > 0 ? fields : Array.isArray(details) ? details.filter(isProblem) : [],
    isFromService: ok === false && error_code === status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function reasonOf(status: number, headers: Headers, text: string | undefined): string {
  const location = headers.get('location');
  if (location !== null && status < 400) return `, a redirect to ${location}: check baseUrl`;
  return text === undefined ? '' : `: ${text}`;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function isProblem(value: unknown): value is Problem {
  const { path, message } = Object(value) as Partial<Problem>;
  return typeof path === 'string' && typeof message === 'string';
}

/** send-target's form of an error: names of fields with messages (decisions.md#send-target-errors). */
function fieldProblems(error: unknown): Problem[] {
  if (typeof error !== 'object' || error === null || Array.isArray(error)) return [];
  const problems = Object.entries(error).flatMap(([path, messages]) =>
    (Array.isArray(messages) ? messages : [null]).map((message: unknown) => ({ path, message })),
  );
  return problems.every(isProblem) ? problems : [];
}
