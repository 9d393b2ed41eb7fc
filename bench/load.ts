import autocannon from 'autocannon';

export interface Load {
  readonly address: string;
  readonly apiKey: string;
  /** Sent one after the other, cyclically. */
  readonly bodies: readonly string[];
  readonly seconds: number;
  readonly connections: number;
  /** Requests a second; if absent, as many as possible. */
  readonly rate?: number;
  /** The service may answer 503 to a sender that is ahead of the read models. Without it, a refusal is an error. */
  readonly mayRefuse?: boolean;
}

export interface LoadResult {
  /** Answered 200. */
  readonly requestsPerSecond: number;
  /** Answered 503. */
  readonly refused: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/** POSTs the bodies again and again on keep-alive connections. @throws if an answer is neither 200 nor an allowed refusal */
export async function postLoad(load: Load): Promise<LoadResult> {
  const { address, apiKey, bodies, seconds, connections, rate, mayRefuse = false } = load;
  const result = await autocannon({
    url: `${address}/v1/send-event`,
    requests: bodies.map((body) => ({
      method: 'POST' as const,
      headers: { 'content-type': 'application/json', 'api-key': apiKey },
      body,
    })),
    duration: seconds,
    connections,
    ...(rate !== undefined && { overallRate: rate }),
  });
  const refused = mayRefuse ? (result.statusCodeStats['503']?.count ?? 0) : 0;
  if (result.non2xx > refused || result.errors > 0)
    throw new Error(`${result.non2xx - refused} answers were not 200, ${result.errors} requests failed`);
  return {
    requestsPerSecond: result['2xx'] / result.duration,
    refused,
    seconds: result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
