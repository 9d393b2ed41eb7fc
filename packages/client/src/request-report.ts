/** One attempt of a call, when it has ended. */
export interface RequestReport {
  readonly method: 'GET' | 'POST';
  /** Without the query. */
  readonly path: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** The HTTP status; null: no answer came. */
  readonly status: number | null;
  readonly durationMs: number;
  /** The `X-Request-Id` that all attempts of the call were sent with. The service writes it to its log. */
  readonly requestId: string;
  /** Null: the call succeeded. The call may be repeated after an error. */
  readonly error: unknown;
}

export type OnRequest = (report: RequestReport) => void;

/** Makes an attempt and reports it. An error that `onRequest` throws is written to the console: the call continues. */
export async function reported<T>(
  onRequest: OnRequest | undefined,
  now: () => number,
  call: Pick<RequestReport, 'method' | 'path' | 'attempt' | 'requestId'>,
  attempt: (answered: (status: number) => void) => Promise<T>,
): Promise<T> {
  let status: number | null = null;
  const startedAt = now();
  const report = (error: unknown): void => {
    try {
      onRequest?.({ ...call, status, durationMs: now() - startedAt, error });
    } catch (thrown) {
      console.error('botledger: onRequest failed', thrown);
    }
  };
  try {
    const answer = await attempt((given) => {
      status = given;
    });
    report(null);
    return answer;
  } catch (error) {
    report(error);
    throw error;
  }
}
