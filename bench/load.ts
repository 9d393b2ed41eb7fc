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
}

export interface LoadResult {
  /** Answered 200. */
  readonly requestsPerSecond: number;
  /** Answered 503: the service may do so to a sender that is ahead of the read models. */
  readonly refused: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
}

/** POSTs the bodies again and again on keep-alive connections. @throws if an answer is neither 200 nor 503 */
export async function postLoad(load: Load): Promise<LoadResult> {
  const { address, apiKey, bodies, seconds, connections, rate } = load;
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
  const refused = result.statusCodeStats['503']?.count ?? 0;
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
